#include "store_fleet.h"

#include <string.h>

#include "consistency/drift.h"

/* The pools that have name servers, but none in service. */
#define IDLE_POOLS \
	"SELECT v.pool_name FROM pool_servers v GROUP BY v.pool_name " \
	"HAVING SUM(v.state = 'ACTIVE') = 0"

static void fleet_read_service(struct tx_rows *rows, struct living_services *services)
{
	bool is_pool = row_int(rows) != 0;
	const char *name = row_text(rows);

	if (is_pool && services->idle_count < FLEET_ROWS)
		services->idle_pool[services->idle_count++] = name;
	if (!is_pool && services->count < FLEET_ROWS)
		services->name[services->count++] = name;
}

void store_fleet_services(struct tx *tx, int timeout_ms, struct arena *arena,
                          struct living_services *services)
{
	struct tx_rows rows;

	services->count = services->idle_count = 0;
	tx_select(tx, arena, &rows,
	    "SELECT DISTINCT 0, w.service FROM worker_nodes w WHERE (w.service = "
	    "'minidns' OR w.service LIKE 'pool\\_manager.%') AND " WORKER_LIVES("w")
	    " UNION ALL SELECT 1, i.pool_name FROM (" IDLE_POOLS ") i LIMIT ?",
	    TX_BIND(tx_int(timeout_ms), tx_int(2 * FLEET_ROWS)));
	while (tx_next(&rows))
		fleet_read_service(&rows, services);
}

static bool fleet_has(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

bool living_services_has(const struct living_services *services, const char *topic)
{
	return fleet_has(services->name, services->count, topic);
}

bool living_services_lack_server(const struct living_services *services, const char *pool)
{
	return fleet_has(services->idle_pool, services->idle_count, pool);
}

json_t *store_fleet_idle_pools(struct tx *tx, const char *pool, struct arena *arena)
{
	json_t *list = json_array();
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	    "SELECT p.name FROM pools p JOIN (" IDLE_POOLS ") i ON i.pool_name = p.name "
	    "WHERE (? IS NULL OR p.name = ?) AND EXISTS (SELECT 1 FROM domains d "
	    "WHERE d.pool_id = p.id AND d.live = 1) ORDER BY p.name LIMIT ?",
	    TX_BIND(tx_text(pool), tx_text(pool), tx_int(FLEET_ROWS)));
	while (tx_next(&rows))
		json_array_append_new(list, json_string(row_text(&rows)));
	return list;
}

json_t *store_fleet_missing(struct tx *tx, const char *pool, int timeout_ms,
                            struct arena *arena)
{
	json_t *list = json_array();
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	    "SELECT t.topic FROM (SELECT 'minidns' AS topic UNION "
	    "SELECT CONCAT('pool_manager.', p.name) FROM pools p WHERE (? IS NULL OR "
	    "p.name = ?) AND EXISTS (SELECT 1 FROM domains d WHERE d.pool_id = p.id "
	    "AND d.live = 1) UNION SELECT n.service FROM worker_nodes n "
	    "WHERE n.service NOT LIKE 'pool\\_manager.%') t "
	    "WHERE NOT EXISTS (SELECT 1 FROM worker_nodes w WHERE w.service = t.topic "
	    "AND " WORKER_LIVES("w") ") ORDER BY t.topic LIMIT ?",
	    TX_BIND(tx_text(pool), tx_text(pool), tx_int(timeout_ms),
	            tx_int(FLEET_ROWS)));
	while (tx_next(&rows))
		json_array_append_new(list, json_string(row_text(&rows)));
	return list;
}

static json_t *fleet_seconds(int64_t ms)
{
	return json_real((double)ms / 1000);
}

static json_t *fleet_read_number(struct tx_rows *rows)
{
	bool is_null = row_is_null(rows);
	int64_t number = row_int(rows);

	return is_null ? json_null() : json_integer(number);
}

#define AGE(column) "TIMESTAMPDIFF(MICROSECOND, " column ", NOW(6)) DIV 1000"

static json_t *fleet_read_worker(struct tx_rows *rows)
{
	json_t *row = json_object();

	json_object_set_new(row, "plugin_name", json_string(row_text(rows)));
	json_object_set_new(row, "service", json_string(row_text(rows)));
	json_object_set_new(row, "role", json_string(row_text(rows)));
	json_object_set_new(row, "status", json_string(row_text(rows)));
	json_object_set_new(row, "hash_factor", fleet_read_number(rows));
	json_object_set_new(row, "total_number", fleet_read_number(rows));
	json_object_set_new(row, "plugin_time", json_string(row_text(rows)));
	json_object_set_new(row, "age", fleet_seconds(row_int(rows)));
	json_object_set_new(row, "generation", json_integer(row_int(rows)));
	json_object_set_new(row, "up", fleet_seconds(row_int(rows)));
	json_object_set_new(row, "version", json_string(row_text(rows)));
	return row;
}

json_t *store_fleet_workers(struct tx *tx, int timeout_ms, struct arena *arena)
{
	json_t *list = json_array();
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	    "SELECT w.plugin_name, w.service, w.role, IF(" WORKER_LIVES("w") ", "
	    "w.status, 'dead') AS state, w.hash_factor, w.total_number, "
	    TX_RFC3339("w.plugin_time") ", " AGE("w.plugin_time") ", w.generation, "
	    AGE("w.started_at") ", w.version FROM worker_nodes w ORDER BY w.service, "
	    "state, w.hash_factor IS NULL, w.hash_factor, w.plugin_name LIMIT ?",
	    TX_BIND(tx_int(timeout_ms), tx_int(FLEET_ROWS)));
	while (tx_next(&rows))
		json_array_append_new(list, fleet_read_worker(&rows));
	return list;
}

static json_t *fleet_read_lock(struct tx_rows *rows)
{
	json_t *row = json_object();
	const char *name;

	json_object_set_new(row, "object_uuid", json_string(row_text(rows)));
	name = row_text(rows);
	json_object_set_new(row, "domain", name ? json_string(name) : json_null());
	json_object_set_new(row, "owner", json_string(row_text(rows)));
	json_object_set_new(row, "session_id", json_string(row_text(rows)));
	json_object_set_new(row, "fence", json_integer(row_int(rows)));
	json_object_set_new(row, "created_at", json_string(row_text(rows)));
	json_object_set_new(row, "age", fleet_seconds(row_int(rows)));
	json_object_set_new(row, "ttl", fleet_seconds(row_int(rows)));
	return row;
}

json_t *store_fleet_locks(struct tx *tx, struct arena *arena)
{
	json_t *list = json_array();
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	    "SELECT l.object_uuid, d.name, l.owner, l.session_id, l.fence, "
	    TX_RFC3339("l.created_at") ", " AGE("l.created_at") ", "
	    "CAST(l.ttl_s * 1000 AS SIGNED) FROM distributed_locks l "
	    "LEFT JOIN domains d ON d.id = l.object_uuid WHERE l.`lock` = TRUE "
	    "ORDER BY l.created_at LIMIT ?",
	    TX_BIND(tx_int(FLEET_ROWS)));
	while (tx_next(&rows))
		json_array_append_new(list, fleet_read_lock(&rows));
	return list;
}

/* Removes the advice about a zone that is gone. */
static void fleet_end_repair(json_t *row)
{
	static const char *const advice[] = { ": " DRIFT_OTHER_FLEET_WORDS,
	                                      ": " DRIFT_OTHER_PROGRAM_WORDS };
	const char *state = json_string_value(json_object_get(row, "state"));
	const char *detail = json_string_value(json_object_get(row, "detail"));

	if (!state || strcmp(state, "ENDED") || !detail)
		return;
	for (size_t i = 0; i < sizeof advice / sizeof advice[0]; i++) {
		const char *end = strstr(detail, advice[i]);

		if (end) {
			json_object_set_new(row, "detail", json_stringn(detail,
			                    (size_t)(end - detail)));
			return;
		}
	}
}

static json_t *fleet_read_repair(struct tx_rows *rows)
{
	json_t *row = json_object();
	static const char *const keys[] = {
		"name", "server", "pool", "kind", "state", "detail", "pass1_at",
		"pass2_at", "done_at", "worker",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *text = row_text(rows);

		json_object_set_new(row, keys[i], text ? json_string(text) : json_null());
	}
	json_object_set_new(row, "serial", json_integer(row_int(rows)));
	json_object_set_new(row, "age", fleet_seconds(row_int(rows)));
	fleet_end_repair(row);
	return row;
}

static void fleet_add_repairs(struct tx *tx, struct arena *arena, const char *sql,
                              json_t *list)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows, sql, TX_BIND(tx_int(FLEET_ROWS)));
	while (tx_next(&rows))
		json_array_append_new(list, fleet_read_repair(&rows));
}

json_t *store_fleet_repairs(struct tx *tx, struct arena *arena)
{
	json_t *list = json_array();

	fleet_add_repairs(tx, arena,
	    "SELECT name, server_id, pool_name, kind, state, COALESCE((SELECT l.detail "
	    "FROM repair_log l WHERE state = 'PARKED' AND l.object_uuid = r.object_uuid "
	    "AND l.server_id = r.server_id AND l.kind = r.kind AND l.outcome = 'PARKED' "
	    "ORDER BY l.done_at DESC LIMIT 1), detail), "
	    TX_RFC3339("pass1_at") ", " TX_RFC3339("pass2_at") ", NULL, '', serial, "
	    AGE("updated_at") " FROM repairs r ORDER BY updated_at DESC LIMIT ?", list);
	fleet_add_repairs(tx, arena,
	    "SELECT name, server_id, pool_name, kind, CASE "
	    "WHEN outcome = 'DONE' AND action IN ('TRANSFER', 'RENEW') THEN 'ORDERED' "
	    /* a server that is behind has no row in repairs */
	    "WHEN outcome = 'PARKED' AND (kind <> 'SERIAL' OR EXISTS (SELECT 1 "
	    "FROM pool_manager_status u WHERE u.domain_id = l.object_uuid "
	    "AND u.server_id = l.server_id AND u.action = 'UPDATE' "
	    "AND u.status = 'SUCCESS')) THEN 'ENDED' ELSE outcome END, detail, "
	    TX_RFC3339("pass1_at") ", " TX_RFC3339("pass2_at") ", "
	    TX_RFC3339("done_at") ", worker, serial, " AGE("done_at") " "
	    "FROM repair_log l "
	    "WHERE NOT (outcome = 'PARKED' AND EXISTS (SELECT 1 FROM repairs r "
	    "WHERE r.object_uuid = l.object_uuid AND r.server_id = l.server_id "
	    "AND r.kind = l.kind AND r.state = 'PARKED' AND r.pass1_at = l.pass1_at)) "
	    "ORDER BY done_at DESC LIMIT ?", list);
	return list;
}
