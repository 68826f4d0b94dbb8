#include "store_fleet.h"

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

json_t *store_fleet_workers(struct tx *tx, struct arena *arena)
{
	json_t *list = json_array();
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	    "SELECT plugin_name, service, role, status, hash_factor, total_number, "
	    TX_RFC3339("plugin_time") ", " AGE("plugin_time") ", "
	    "generation, " AGE("started_at") ", version FROM worker_nodes "
	    "ORDER BY service, status, hash_factor IS NULL, hash_factor, plugin_name "
	    "LIMIT ?", TX_BIND(tx_int(FLEET_ROWS)));
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
	    "SELECT name, server_id, pool_name, kind, state, detail, "
	    TX_RFC3339("pass1_at") ", " TX_RFC3339("pass2_at") ", NULL, '', serial, "
	    AGE("updated_at") " FROM repairs ORDER BY updated_at DESC LIMIT ?", list);
	fleet_add_repairs(tx, arena,
	    "SELECT name, server_id, pool_name, kind, outcome, detail, "
	    TX_RFC3339("pass1_at") ", " TX_RFC3339("pass2_at") ", "
	    TX_RFC3339("done_at") ", worker, serial, " AGE("done_at") " FROM repair_log ORDER BY done_at DESC LIMIT ?",
	    list);
	return list;
}
