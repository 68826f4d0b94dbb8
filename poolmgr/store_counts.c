#include "store_counts.h"

#include "base/log.h"
#include "store_rows.h"

void store_count_domains(struct tx *tx, const char *pool, struct domain_counts *counts)
{
	struct tx_rows rows;

	*counts = (struct domain_counts){ .oldest_pending_s = 0 };
	tx_select(tx, NULL, &rows,
	    "SELECT d.status, COUNT(*), "
	    "GREATEST(0, TIMESTAMPDIFF(SECOND, MIN(d.changed_at), NOW(3))) "
	    "FROM domains d JOIN pools p ON p.id = d.pool_id "
	    "WHERE p.name = ? GROUP BY d.status", TX_BIND(tx_text(pool)));
	while (tx_next(&rows)) {
		enum status status;
		bool known = status_parse(row_text(&rows), &status);
		int64_t count = row_int(&rows), oldest_s = row_int(&rows);

		bug_if(!known);
		counts->count[status] = count;
		if (status == STATUS_PENDING)
			counts->oldest_pending_s = oldest_s;
	}
}

int64_t store_count_behind(struct tx *tx, const struct scope *scope,
                           const struct slice *slice, const struct server *server)
{
	return store_read_count(tx,
	    "SELECT COUNT(*) FROM domains d JOIN pools p ON p.id = d.pool_id "
	    "LEFT JOIN pool_manager_status s "
	    "ON s.domain_id = d.id AND s.server_id = ? AND s.action = 'UPDATE' "
	    "WHERE " IN_SLICE " AND " IS_MINE " AND " IS_FOR_IT " AND d.live = 1 "
	    "AND d.task <> 'DELETE' AND (s.id IS NULL OR s.status <> 'SUCCESS' "
	    "OR s.serial_number IS NULL OR " NEWER("d.serial", "s.serial_number") ")",
	    TX_BIND(tx_text(server->settings->id), SLICE(slice), SCOPE(scope),
	            tx_int(server->driver->by_catalog)));
}

int64_t store_lag_s(struct tx *tx, const char *pool, const char *server_id)
{
	return store_read_count(tx,
	    "SELECT GREATEST(0, TIMESTAMPDIFF(SECOND, MIN(d.changed_at), NOW(3))) "
	    "FROM pool_manager_status o JOIN domains d ON d.id = o.domain_id "
	    "JOIN pools p ON p.id = d.pool_id LEFT JOIN pool_manager_status s "
	    "ON s.domain_id = d.id AND s.server_id = o.server_id AND s.action = 'UPDATE' "
	    "WHERE o.server_id = ? AND o.by_control IN (0, 1) "
	    "AND o.next_attempt_at IS NOT NULL "
	    "AND o.action <> 'DELETE' AND p.name = ? AND d.live = 1 "
	    "AND d.task <> 'DELETE' AND (s.serial_number IS NULL OR "
	    NEWER("d.serial", "s.serial_number") ")",
	    TX_BIND(tx_text(server_id), tx_text(pool)));
}
