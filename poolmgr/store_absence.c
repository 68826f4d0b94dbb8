#include "store_absence.h"

#include <string.h>

#include "runtime/tx_list.h"
#include "store_rows.h"

static bool deletion_is(const struct deletion *deletion, const char *domain_id,
                        const char *server_id)
{
	return !strcmp(deletion->domain_id, domain_id) &&
	       !strcmp(deletion->server->settings->id, server_id);
}

/* The remaining places repeat the last deletion. */
static const struct tx_value *store_bind_deletions(struct arena *arena,
                                                   const struct deletion *deletions,
                                                   size_t count, size_t places)
{
	struct tx_value *values = arena_alloc(arena, (2 * places + 1) * sizeof(*values));

	for (size_t i = 0; i < places; i++) {
		const struct deletion *deletion = &deletions[i < count ? i : count - 1];

		values[2 * i] = tx_text(deletion->domain_id);
		values[2 * i + 1] = tx_text(deletion->server->settings->id);
	}
	values[2 * places].type = TX_END;
	return values;
}

/*
 * The row of a deletion is NO_DOMAIN from the success of the driver until a poll confirms
 * it. All rows are locked first, in the order of their key.
 */
static void store_read_driver_results(struct tx *tx, struct arena *arena,
                                      const struct deletion *deletions, size_t count,
                                      struct deletion_state *states)
{
	struct tx_rows rows;
	size_t places;
	const char *sql = tx_list_of(arena,
	    "SELECT domain_id, server_id, status <=> 'NO_DOMAIN', attempts "
	    "FROM pool_manager_status WHERE action = 'DELETE' AND (",
	    "(domain_id = ? AND server_id = ?)", " OR ",
	    ") ORDER BY domain_id, server_id FOR UPDATE", count, &places);

	tx_select(tx, arena, &rows, sql, store_bind_deletions(arena, deletions, count,
	                                                      places));
	while (tx_next(&rows)) {
		const char *domain_id = row_text(&rows), *server_id = row_text(&rows);
		bool deleted = row_int(&rows) != 0;
		int attempts = (int)row_int(&rows);

		for (size_t i = 0; i < count; i++)
			if (deletion_is(&deletions[i], domain_id, server_id))
				states[i] = (struct deletion_state){
					deleted ? CONFIRMATION_DRIVER : CONFIRMATION_NONE,
						attempts,
				};
	}
}

/*
 * True: the server has answered for its catalog zone. A catalog zone that loses a member
 * changes, so mini-DNS polls it after the deletion. If there is no catalog zone, or the
 * domain is the catalog zone itself, its own row counts: the server answered for it in
 * the last report, or was never seen to have it.
 */
static bool store_answers_for_catalog(struct tx *tx, const char *domain_id,
                                      const char *server_id)
{
	return store_read_count(tx,
	    "SELECT COUNT(*) FROM domains d JOIN pools p ON p.id = d.pool_id "
	    "LEFT JOIN domains c ON c.id = p.catalog_id AND c.id <> d.id "
	    "AND c.live = 1 AND c.task <> 'DELETE' "
	    "LEFT JOIN pool_manager_status u ON u.domain_id = COALESCE(c.id, d.id) "
	    "AND u.server_id = ? AND u.action = 'UPDATE' WHERE d.id = ? "
	    "AND IF(c.id IS NULL, u.serial_number IS NULL OR u.status <=> 'SUCCESS', "
	    "u.status <=> 'SUCCESS' AND u.updated_at >= d.changed_at)",
	    TX_BIND(tx_text(server_id), tx_text(domain_id))) > 0;
}

void store_deletion_states(struct tx *tx, struct arena *arena,
                           const struct deletion *deletions, size_t count,
                           struct deletion_state *states)
{
	for (size_t i = 0; i < count; i++)
		states[i] = (struct deletion_state){ CONFIRMATION_NONE, 0 };
	store_read_driver_results(tx, arena, deletions, count, states);
	for (size_t i = 0; i < count; i++)
		if (states[i].confirmation == CONFIRMATION_NONE &&
		    deletions[i].server->driver->by_catalog &&
		    store_answers_for_catalog(tx, deletions[i].domain_id,
		                              deletions[i].server->settings->id))
			states[i].confirmation = CONFIRMATION_ANSWERS;
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
