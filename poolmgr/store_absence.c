#include "store_absence.h"

#include "store_rows.h"

/*
 * The row of a deletion is NO_DOMAIN from the success of the driver until a poll confirms
 * it. All rows are locked first, in the order of their key.
 */
static void store_read_driver_results(struct tx *tx, struct arena *arena,
                                      const struct row_key *keys, size_t count,
                                      struct deletion_state *states)
{
	struct tx_rows rows;

	store_select_rows(tx, arena, &rows, NO_WAIT(tx,
	    "SELECT s.domain_id, s.server_id, s.status <=> 'NO_DOMAIN', s.attempts "
	    "FROM pool_manager_status s FORCE INDEX (status_of) "
	    "WHERE s.action = 'DELETE' AND ("),
	    ") ORDER BY s.domain_id, s.server_id FOR UPDATE", keys, count);
	while (tx_next(&rows)) {
		const char *domain_id = row_text(&rows), *server_id = row_text(&rows);
		bool deleted = row_int(&rows) != 0;
		int attempts = (int)row_int(&rows);

		for (size_t i = 0; i < count; i++)
			if (row_key_is(&keys[i], domain_id, server_id))
				states[i] = (struct deletion_state){
					true, deleted ? CONFIRMATION_DRIVER
					              : CONFIRMATION_NONE,
					attempts,
				};
	}
}

/*
 * The server has answered us for its catalog zone since the deletion. A catalog zone that
 * loses a member changes, so mini-DNS polls it after the deletion. If there is no catalog
 * zone, or the domain is the catalog zone itself, the server answered for the domain at
 * its last poll. Each full scan polls the domain, and a failure is in the row.
 */
static void store_read_answers(struct tx *tx, struct arena *arena,
                               const struct row_key *keys, size_t count,
                               struct deletion_state **states)
{
	struct tx_rows rows;

	store_select_rows(tx, arena, &rows,
	    "SELECT s.domain_id, s.server_id FROM pool_manager_status s "
	    "JOIN domains d ON d.id = s.domain_id JOIN pools p ON p.id = d.pool_id "
	    "LEFT JOIN domains c ON c.id = p.catalog_id AND c.id <> d.id "
	    "AND c.live = 1 AND c.task <> 'DELETE' "
	    "LEFT JOIN pool_manager_status u ON u.domain_id = COALESCE(c.id, d.id) "
	    "AND u.server_id = s.server_id AND u.action = 'UPDATE' "
	    "WHERE s.action = 'DELETE' AND u.status = 'SUCCESS' "
	    "AND (c.id IS NULL OR u.updated_at >= d.changed_at) AND (", ")", keys,
	    count);
	while (tx_next(&rows)) {
		const char *domain_id = row_text(&rows), *server_id = row_text(&rows);

		for (size_t i = 0; i < count; i++)
			if (row_key_is(&keys[i], domain_id, server_id))
				states[i]->confirmation = CONFIRMATION_ANSWERS;
	}
}

void store_deletion_states(struct tx *tx, struct arena *arena,
                           const struct deletion *deletions, size_t count,
                           struct deletion_state *states)
{
	struct row_key *keys = arena_alloc(arena, count * sizeof(*keys));
	struct row_key *doubted = arena_alloc(arena, count * sizeof(*doubted));
	struct deletion_state **of = arena_alloc(arena, count * sizeof(*of));
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		keys[i] = (struct row_key){ deletions[i].domain_id,
		                            deletions[i].server->settings->id };
		states[i] = (struct deletion_state){ .exists = false };
	}
	store_read_driver_results(tx, arena, keys, count, states);
	for (size_t i = 0; i < count; i++)
		if (states[i].exists && states[i].confirmation == CONFIRMATION_NONE &&
		    deletions[i].server->driver->by_catalog) {
			doubted[n] = keys[i];
			of[n++] = &states[i];
		}
	if (n)
		store_read_answers(tx, arena, doubted, n, of);
}

bool store_catalog(struct tx *tx, struct arena *arena, const char *pool,
                   struct domain_ref *catalog)
{
	struct tx_rows rows;
	bool found = tx_select_row(tx, arena, &rows,
	    "SELECT " DOMAIN_COLUMNS " FROM pools p JOIN domains d "
	    "ON d.id = p.catalog_id "
	    "WHERE p.name = ? AND d.live = 1 AND d.task <> 'DELETE'",
	    TX_BIND(tx_text(pool)));

	if (!found)
		return false;
	store_read_domain(&rows, pool, catalog);
	tx_select_end(&rows);
	return true;
}

bool store_is_zone_lost(struct tx *tx, struct arena *arena, const char *domain_id,
                        const char *server_id, const char **reason)
{
	struct tx_rows rows;
	bool lost = tx_select_row(tx, arena, &rows,
	    "SELECT reason FROM pool_manager_status "
	    "WHERE domain_id = ? AND server_id = ? AND action = 'UPDATE' "
	    "AND status = 'NO_DOMAIN'", TX_BIND(tx_text(domain_id), tx_text(server_id)));

	if (!lost)
		return false;
	*reason = row_text(&rows);
	tx_select_end(&rows);
	return true;
}

void store_refute_absence(struct tx *tx, const char *domain_id, const char *server_id,
                          const char *reason)
{
	tx_exec(tx,
	    "UPDATE pool_manager_status SET status = 'ERROR', reason = LEFT(?, 512), "
	    "next_attempt_at = NOW(3) + INTERVAL " PAUSE " SECOND, updated_at = NOW(3) "
	    "WHERE domain_id = ? AND server_id = ? AND action = 'UPDATE' "
	    "AND status = 'NO_DOMAIN'",
	    TX_BIND(tx_text(reason), tx_text(domain_id), tx_text(server_id)));
}
