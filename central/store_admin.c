#include "store.h"

#include "consistency/drift.h"
#include "consistency/heartbeat.h"
#include "core/reason.h"
#include "store_fleet.h"
#include "store_query.h"

void store_quota_set(struct tx *tx, const char *tenant, const char *resource,
                     int64_t limit, enum store_wait wait)
{
	tx_exec(tx, STORE_WAITS(tx, wait,
	            "INSERT INTO quotas (tenant, resource, hard_limit) VALUES (?, ?, ?) "
	            "ON DUPLICATE KEY UPDATE hard_limit = VALUES(hard_limit)"),
	        TX_BIND(tx_text(tenant), tx_text(resource), tx_int(limit)));
	store_check_wait(tx, wait, "the quota");
}

void store_quota_reset(struct tx *tx, const char *tenant, const char *resource,
                       enum store_wait wait)
{
	tx_exec(tx, STORE_WAITS(tx, wait,
	            "DELETE FROM quotas WHERE tenant = ? AND resource = ?"),
	        TX_BIND(tx_text(tenant), tx_text(resource)));
	store_check_wait(tx, wait, "the quota");
}

void store_quota_get(struct tx *tx, const char *tenant, const char *resource,
                     int64_t *limit)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, NULL, &rows, "SELECT hard_limit FROM quotas "
	                   "WHERE tenant = ? AND resource = ?",
	                   TX_BIND(tx_text(tenant), tx_text(resource))))
		return;
	*limit = row_int(&rows);
	tx_select_end(&rows);
}

void store_quota_reset_all(struct tx *tx, const char *tenant, enum store_wait wait)
{
	tx_exec(tx, STORE_WAITS(tx, wait, "DELETE FROM quotas WHERE tenant = ?"),
	        TX_BIND(tx_text(tenant)));
	store_check_wait(tx, wait, "the quotas");
}

#define OWN_LIMITS \
	"SELECT q.tenant, q.resource, q.hard_limit, COALESCE(u.domains, 0) " \
	"FROM quotas q LEFT JOIN tenant_usage u ON u.tenant = q.tenant "

void store_quota_find(struct tx *tx, const char *tenant, struct arena *arena,
                      struct tx_rows *rows)
{
	tx_select(tx, arena, rows, OWN_LIMITS "WHERE q.tenant = ?",
	          TX_BIND(tx_text(tenant)));
}

void store_quota_find_all(struct tx *tx, const char *after, uint32_t max,
                          struct arena *arena, struct tx_rows *rows)
{
	tx_select(tx, arena, rows,
	          OWN_LIMITS "JOIN (SELECT DISTINCT tenant FROM quotas WHERE tenant > ? "
	          "ORDER BY tenant LIMIT ?) t ON t.tenant = q.tenant ORDER BY q.tenant",
	          TX_BIND(tx_text(after), tx_u32(max)));
}

bool store_quota_next(struct tx_rows *rows, struct quota_row *row)
{
	if (!tx_next(rows))
		return false;
	row->tenant = row_text(rows);
	row->resource = row_text(rows);
	row->limit = row_int(rows);
	row->domains = row_int(rows);
	return true;
}

/* ---- name servers ---- */

#define DIFFERS_WORDS "serves records that differ from the database"

#define BEHIND(newer, older) \
	"(" older " IS NULL OR ((CAST(" newer " AS SIGNED) - " \
	"CAST(" older " AS SIGNED)) " \
	"& 4294967295) BETWEEN 1 AND 2147483647)"

/*
 * The records of the server differ, or the operation of a row has failed. The polls of
 * all domains of a silent server fail: they say nothing about a domain that the server
 * serves at its newest serial. In the row of a deletion, NO_DOMAIN means that the server
 * has deleted the zone.
 */
#define HAS_FAILED(row, domain) \
	"(" row ".differs_since IS NOT NULL " \
	"OR (" row ".status = 'NO_DOMAIN' AND " row ".action <> 'DELETE') " \
	"OR (" row ".status = 'ERROR' AND (" \
	BEHIND(domain ".serial", row ".serial_number") \
	" OR " row ".reason NOT LIKE '" REPORT_SILENCE_WORDS "%')))"

#define IS_SERVED_BY(topic) \
	"EXISTS (SELECT 1 FROM worker_nodes w WHERE w.service = " topic " AND " \
	WORKER_LIVES("w") ")"

/*
 * The pool managers set the time of the next probe while a server does not answer. They
 * send no queries and commands to the other servers. If no pool manager or no mini-DNS is
 * running, no process finds a failure. Two parameters: `fleet.timeout` in milliseconds.
 */
#define SERVER_HEALTH \
	"CASE WHEN COALESCE(v.state, '') <> 'ACTIVE' OR v.host = '' THEN '' " \
	"WHEN NOT " IS_SERVED_BY("CONCAT('pool_manager.', v.pool_name)") \
	" THEN 'NO_POOL_MANAGER' " \
	"WHEN NOT " IS_SERVED_BY("'minidns'") " THEN 'NO_MINIDNS' " \
	"WHEN v.next_try_at IS NULL AND v.control_next_try_at IS NULL THEN 'OK' " \
	"WHEN v.control_next_try_at IS NULL THEN 'NO_DNS' " \
	"WHEN v.next_try_at IS NULL THEN 'NO_CONTROL' ELSE 'NO_ANSWER' END"

/* The pool manager has not compared the settings of these zones with the newest ones. */
#define UNCHECKED_ZONES \
	"(SELECT COUNT(*) FROM pool_manager_status z JOIN domains y " \
	"ON y.id = z.domain_id AND y.live = 1 AND y.task <> 'DELETE' " \
	"AND y.pool_id = p.id WHERE z.server_id = v.id AND z.action = 'CREATE' " \
	"AND z.status = 'SUCCESS' " \
	"AND v.settings_digest <> '' AND z.settings_digest NOT IN " \
	"(v.settings_digest, CONCAT('?', v.settings_digest)))"

/*
 * Operations that count as FAILED come first. The reports from before a deletion say
 * nothing about the deletion.
 */
#define LAST_ERROR \
	"COALESCE(NULLIF(v.last_error, ''), NULLIF(v.control_error, ''), " \
	"(SELECT COALESCE(NULLIF(e.reason, ''), IF(e.differs_since IS NULL, '', " \
	"'" DIFFERS_WORDS "')) FROM pool_manager_status e JOIN domains m " \
	"ON m.id = e.domain_id AND m.pool_id = p.id WHERE e.server_id = v.id " \
	"AND (e.action = 'DELETE') = (m.task = 'DELETE' OR m.status = 'DELETED') " \
	"AND (e.status = 'ERROR' OR " HAS_FAILED("e", "m") ") " \
	"ORDER BY m.live = 1 AND " HAS_FAILED("e", "m") " DESC, e.updated_at DESC " \
	"LIMIT 1), '')"

void store_status_servers(struct tx *tx, const char *pool, struct arena *arena,
                          struct tx_rows *rows)
{
	const struct tx_value timeout = tx_int(heartbeat_config.timeout_ms);

	tx_select(tx, arena, rows,
		"SELECT v.id, v.pool_name, v.backend, v.host, v.port, v.state, "
		SERVER_HEALTH ", CAST(COALESCE(SUM(d.id IS NOT NULL AND "
		"d.task <> 'DELETE' AND " BEHIND("d.serial", "t.serial_number")
		"), 0) AS SIGNED), "
		"CAST(COALESCE(SUM(d.id IS NOT NULL AND " HAS_FAILED("t", "d") "), 0) "
		"AS SIGNED), "
		UNCHECKED_ZONES ", "
		LAST_ERROR " FROM pool_servers v JOIN pools p ON p.name = v.pool_name "
		"LEFT JOIN domains d ON d.pool_id = p.id AND d.live = 1 "
		"AND (d.kind = 'PRIMARY' OR v.backend = 'catalog') "
		"LEFT JOIN pool_manager_status t ON t.domain_id = d.id "
		"AND t.server_id = v.id "
		"AND t.action = IF(d.task = 'DELETE', 'DELETE', 'UPDATE') "
		"WHERE ? IS NULL OR v.pool_name = ? GROUP BY v.pool_name, v.id "
		"ORDER BY v.pool_name, v.id LIMIT 1000",
		TX_BIND(timeout, timeout, tx_text(pool), tx_text(pool)));
}

bool store_status_next_server(struct tx_rows *rows, struct server_summary *server)
{
	if (!tx_next(rows))
		return false;
	server->id = row_text(rows);
	server->pool = row_text(rows);
	server->backend = row_text(rows);
	server->host = row_text(rows);
	server->port = row_u32(rows);
	server->state = row_text(rows);
	server->health = row_text(rows);
	server->behind = row_int(rows);
	server->failed = row_int(rows);
	server->unchecked = row_int(rows);
	server->last_error = row_text(rows);
	return true;
}

int64_t store_status_server_count(struct tx *tx, const char *pool, bool of_catalog)
{
	return tx_select_number(tx,
		"SELECT COUNT(*) FROM pool_servers WHERE pool_name = ? "
		"AND state = 'ACTIVE' AND (backend = 'catalog' OR NOT ?)",
		TX_BIND(tx_text(pool), tx_int(of_catalog)));
}

bool store_server_set(struct tx *tx, const char *pool, const char *id, const char *state,
                      enum store_wait wait)
{
	int64_t count = tx_exec(tx, STORE_WAITS(tx, wait,
	                            "UPDATE pool_servers SET state = ? "
	                            "WHERE pool_name = ? AND id = ?"),
	                        TX_BIND(tx_text(state), tx_text(pool), tx_text(id)));

	store_check_wait(tx, wait, "the server");
	return count == 1;
}

#define IS_DRAINED "WHEN v.state = 'DRAINED' THEN '" REASON_DRAINED "' "
#define DELETION_WAITS \
	"WHEN v.backend = 'catalog' THEN ? " \
	"ELSE '" REASON_NOT_DELETED "' END"

/*
 * Selects the servers of a pool that have no row about ACTION. An unfinished CREATE has a
 * row that says more.
 */
#define UNREPORTED_SERVERS \
	"SELECT v.id, ?, NULL, NULL, CASE " \
	IS_DRAINED "WHEN ? THEN CASE " DELETION_WAITS " " \
	"WHEN c.id IS NOT NULL THEN '" REASON_CREATED "' " \
	"WHEN v.backend = 'catalog' THEN '" REASON_BY_CATALOG "' " \
	"ELSE '" REASON_NOT_CREATED "' END, " \
	"0, 0, NULL, NULL, v.state, v.backend, " SERVER_HEALTH " FROM pool_servers v " \
	"LEFT JOIN pool_manager_status c ON c.domain_id = ? AND c.server_id = v.id " \
	"AND c.action = 'CREATE' WHERE v.pool_name = ? AND v.state <> 'REMOVED' " \
	"AND (v.backend = 'catalog' OR NOT ?) " \
	"AND (? OR c.id IS NULL OR c.status <=> 'SUCCESS') " \
	"AND NOT EXISTS (SELECT 1 FROM pool_manager_status a " \
	"WHERE a.domain_id = ? AND a.server_id = v.id AND a.action = ?) "

/*
 * The failure of the server, then how its records differ. If the serial is right, the
 * reason of the row is empty, or is the difference.
 */
#define DIFFERENCE \
	"CONCAT_WS('; ', IF(t.status <=> 'SUCCESS', NULL, NULLIF(t.reason, '')), " \
	"CONCAT_WS(': ', '" DIFFERS_WORDS "', COALESCE(NULLIF(r.detail, ''), " \
	"IF(t.status <=> 'SUCCESS', NULLIF(t.reason, ''), NULL))))"

void store_status_domain(struct tx *tx, const struct zone *zone, struct arena *arena,
                         struct tx_rows *rows)
{
	bool is_deletion = zone->is.state.task == TASK_DELETE;
	const struct tx_value action = tx_text(is_deletion ? "DELETE" : "UPDATE");
	const struct tx_value id = tx_text(zone->is.id), deletion = tx_int(is_deletion);
	const struct tx_value timeout = tx_int(heartbeat_config.timeout_ms);
	const struct tx_value by_catalog =
		tx_text(zone->is.is_catalog ? REASON_IS_CATALOG : REASON_IN_CATALOG);

	tx_select(tx, arena, rows,
		"SELECT t.server_id, t.action, "
		"IF(t.differs_since IS NULL OR t.status <> 'SUCCESS', t.status, "
		"'ERROR'), t.serial_number, "
		"IF(t.action = 'DELETE' AND t.reason = '' "
		"AND NOT (t.status <=> 'SUCCESS') AND v.state <> 'REMOVED', "
		"CASE " IS_DRAINED "WHEN t.status <=> 'NO_DOMAIN' THEN '" REASON_DELETED
		"' " DELETION_WAITS ", "
		"IF(t.differs_since IS NULL AND r.detail IS NULL, t.reason, "
		DIFFERENCE ")), t.differs_since IS NOT NULL, t.attempts, "
		TX_RFC3339("t.next_attempt_at") ", "
		TX_RFC3339("t.updated_at") ", COALESCE(v.state, 'REMOVED'), "
		"COALESCE(v.backend, ''), " SERVER_HEALTH " "
		"FROM pool_manager_status t JOIN domains d ON d.id = t.domain_id "
		"JOIN pools p ON p.id = d.pool_id LEFT JOIN pool_servers v "
		"ON v.pool_name = p.name AND v.id = t.server_id "
		"LEFT JOIN repairs r ON r.object_uuid = t.domain_id AND "
		"r.server_id = t.server_id AND r.kind = 'CONTENT' "
		"AND t.action = 'UPDATE' AND (t.differs_since IS NOT NULL "
		"OR r.detail LIKE '" DRIFT_DIFFERS_WORDS "%') "
		/* a server that has deleted the zone serves nothing of it */
		"WHERE t.domain_id = ? AND (t.action = 'DELETE' OR NOT ? OR NOT EXISTS "
		"(SELECT 1 FROM pool_manager_status g WHERE g.domain_id = t.domain_id "
		"AND g.server_id = t.server_id AND g.action = 'DELETE' "
		"AND g.status = 'SUCCESS')) UNION ALL " UNREPORTED_SERVERS
		"ORDER BY 1, 2 LIMIT 3000",
		TX_BIND(by_catalog, timeout, timeout, id, deletion, action, deletion,
		        by_catalog, timeout, timeout, id,
		        tx_text(zone->pool), tx_int(zone->is.is_catalog), deletion, id,
		        action));
}

bool store_status_next(struct tx_rows *rows, struct server_status *status)
{
	if (!tx_next(rows))
		return false;
	status->id = row_text(rows);
	status->action = row_text(rows);
	status->status = row_text(rows);
	status->has_serial = !row_is_null(rows);
	status->serial = row_u32(rows);
	status->reason = row_text(rows);
	status->differs = row_int(rows) != 0;
	status->attempts = row_u32(rows);
	status->next_attempt_at = row_text(rows);
	status->seen_at = row_text(rows);
	status->state = row_text(rows);
	status->backend = row_text(rows);
	status->health = row_text(rows);
	return true;
}

void store_status_undeleted(struct tx *tx, const struct zone *zone, struct arena *arena,
                            struct tx_rows *rows)
{
	tx_select(tx, arena, rows,
		"SELECT v.id, COALESCE(NULLIF(t.reason, ''), 'not yet seen to have "
		"deleted it') FROM pool_servers v LEFT JOIN pool_manager_status t "
		"ON t.server_id = v.id AND t.domain_id = ? AND t.action = 'DELETE' "
		"WHERE v.pool_name = ? AND v.state <> 'REMOVED' "
		"AND (v.backend = 'catalog' OR NOT ?) "
		"AND NOT (t.status <=> 'SUCCESS') ORDER BY v.id LIMIT 1000",
		TX_BIND(tx_text(zone->is.id), tx_text(zone->pool),
		        tx_int(zone->is.is_catalog)));
}

bool store_status_next_undeleted(struct tx_rows *rows, const char **server_id,
                                 const char **reason)
{
	if (!tx_next(rows))
		return false;
	*server_id = row_text(rows);
	*reason = row_text(rows);
	return true;
}
