#include "store_witness.h"

#include "store_rows.h"

/* The row of a deletion is NO_DOMAIN between the driver's success and the poll's. */
static bool was_deleted(struct tx *tx, const char *domain_id, const char *server_id,
                        int *attempts)
{
	struct tx_rows rows;
	bool deleted = false;

	*attempts = 0;
	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT status <=> 'NO_DOMAIN', attempts FROM pool_manager_status "
	    "WHERE domain_id = ? AND server_id = ? AND action = 'DELETE' FOR UPDATE",
	    TX_BIND(tx_text(domain_id), tx_text(server_id))))
		return false;
	deleted = row_int(&rows) != 0;
	*attempts = (int)row_int(&rows);
	tx_select_end(&rows);
	return deleted;
}

/*
 * A catalog that loses a member changes, so the server is polled for it behind the
 * deletion. Without a catalog, or if the domain is it, the domain's own row is the word:
 * the server answered for it when it was heard last, or was never seen to have it.
 */
static bool answers_for_catalog(struct tx *tx, const char *domain_id,
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

struct testimony store_testimony(struct tx *tx, const char *domain_id,
                                 const struct server *server)
{
	const char *server_id = server->settings->id;
	struct testimony testimony = { WITNESS_NONE, 0 };

	if (was_deleted(tx, domain_id, server_id, &testimony.attempts))
		testimony.witness = WITNESS_DRIVER;
	else if (server->driver->by_catalog &&
	         answers_for_catalog(tx, domain_id, server_id))
		testimony.witness = WITNESS_ANSWERS;
	return testimony;
}

bool store_has_lost(struct tx *tx, struct arena *arena, const char *domain_id,
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

void store_refute(struct tx *tx, const char *domain_id, const char *server_id,
                  const char *reason)
{
	tx_exec(tx,
	    "UPDATE pool_manager_status SET status = 'ERROR', reason = LEFT(?, 512), "
	    "next_attempt_at = NOW(3) + INTERVAL " PAUSE " SECOND, updated_at = NOW(3) "
	    "WHERE domain_id = ? AND server_id = ? AND action = 'UPDATE' "
	    "AND status = 'NO_DOMAIN'",
	    TX_BIND(tx_text(reason), tx_text(domain_id), tx_text(server_id)));
}
