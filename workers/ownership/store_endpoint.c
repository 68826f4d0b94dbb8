#include "store_pack.h"

/* ---- sources ---- */

static void source_read(struct tx_rows *rows, struct source *source)
{
	source->resource = row_text(rows);
	source->is_complete = row_int(rows);
	source->endpoints = (size_t)row_int(rows);
	source->rev = (uint64_t)row_int(rows);
}

bool store_source_read(struct tx *tx, const char *id, const char *resource,
                       struct source *source)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT resource, is_complete, endpoints, source_rev FROM endpoint_sources "
	    "WHERE registry_id = ? AND resource = ? FOR UPDATE",
	    TX_BIND(tx_text(id), tx_text(resource))))
		return false;
	source_read(&rows, source);
	tx_select_end(&rows);
	source->resource = resource;
	return true;
}

void store_source_write(struct tx *tx, const char *id, const struct source *source)
{
	tx_exec(tx,
	    "INSERT INTO endpoint_sources "
	    "(registry_id, resource, is_complete, endpoints, source_rev, reported_at) "
	    "VALUES (?, ?, ?, ?, ?, NOW(3)) ON DUPLICATE KEY UPDATE "
	    "is_complete = VALUES(is_complete), endpoints = VALUES(endpoints), "
	    "source_rev = VALUES(source_rev), reported_at = NOW(3)",
	    TX_BIND(tx_text(id), tx_text(source->resource), tx_int(source->is_complete),
	            tx_int((int64_t)source->endpoints), tx_int((int64_t)source->rev)));
}

void store_sources(struct tx *tx, struct arena *arena, const char *id,
                   void (*each)(void *self, const struct source *source), void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	    "SELECT resource, is_complete, endpoints, source_rev FROM endpoint_sources "
	    "WHERE registry_id = ?", TX_BIND(tx_text(id)));
	while (tx_next(&rows)) {
		struct source source;

		source_read(&rows, &source);
		each(self, &source);
	}
}

/* ---- endpoints ---- */

#define COLUMNS "SELECT name, type, set_id, resource, is_shared, " \
                "copied_by IS NOT NULL, ttl, records " \
                "FROM endpoints WHERE registry_id = ?"

static void endpoint_read(struct tx *tx, struct tx_rows *rows, struct arena *arena,
                          struct endpoint *endpoint)
{
	uint32_t ttl;

	*endpoint = (struct endpoint){ 0 };
	store_read_name(tx, rows, "endpoints", &endpoint->name, &endpoint->name_text);
	endpoint->rrset.type = (uint16_t)row_int(rows);
	endpoint->set_id = row_text(rows);
	endpoint->resource = row_text(rows);
	endpoint->is_shared = row_int(rows);
	endpoint->is_copy = row_int(rows);
	endpoint->has_ttl = !row_is_null(rows);
	ttl = row_u32(rows);
	store_unpack(tx, rows, "endpoints", arena, ttl, &endpoint->rrset);
}

void store_endpoints(struct tx *tx, struct arena *arena, const char *id,
                     const char *resource,
                     void (*each)(void *self, const struct endpoint *endpoint),
                     void *self)
{
	struct tx_rows rows;

	if (resource)
		tx_select(tx, arena, &rows, COLUMNS " AND resource = ?",
		          TX_BIND(tx_text(id), tx_text(resource)));
	else
		tx_select(tx, arena, &rows, COLUMNS, TX_BIND(tx_text(id)));
	while (tx_next(&rows)) {
		struct endpoint endpoint;

		endpoint_read(tx, &rows, arena, &endpoint);
		if (!tx->err)
			each(self, &endpoint);
	}
}

size_t store_endpoints_total(struct tx *tx, const char *id)
{
	struct tx_rows rows;
	size_t total;

	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT COALESCE(SUM(GREATEST(endpoints, 1)), 0) FROM endpoint_sources "
	    "WHERE registry_id = ?", TX_BIND(tx_text(id))))
		return 0;
	total = (size_t)row_int(&rows);
	tx_select_end(&rows);
	return total;
}

static void endpoint_write_rows(struct tx *tx, const char *id, const char *resource,
                                const struct endpoint *endpoints, size_t count,
                                bool is_gone)
{
	struct arena *arena = arena_new();
	struct tx_value *values = arena_alloc(arena, (8 * count + 1) * sizeof(*values));

	for (size_t i = 0; i < count; i++) {
		const struct endpoint *endpoint = &endpoints[i];
		struct tx_value *at = &values[8 * i];

		at[0] = tx_text(id);
		at[1] = tx_text(resource);
		at[2] = tx_text(endpoint->name_text);
		at[3] = tx_int(endpoint->rrset.type);
		at[4] = tx_text(endpoint->set_id);
		at[5] = endpoint->has_ttl ? tx_u32(endpoint->rrset.ttl) : tx_null();
		at[6] = tx_int(endpoint->is_shared);
		at[7] = is_gone ? tx_bytes("", 0) : store_packed(&endpoint->rrset, arena);
	}
	if (count)
		tx_exec_rows(tx,
		    "INSERT INTO endpoints (registry_id, resource, name, type, set_id, "
		    "ttl, is_shared, records) VALUES ", "(?,?,?,?,?,?,?,?)",
		    " ON DUPLICATE KEY UPDATE ttl = VALUES(ttl), "
		    "is_shared = VALUES(is_shared), records = VALUES(records), "
		    "copied_by = NULL", values, 8, count);
	arena_free(&arena);
}

void store_endpoints_put(struct tx *tx, const char *id, const char *resource,
                         const struct endpoint *endpoints, size_t count)
{
	endpoint_write_rows(tx, id, resource, endpoints, count, false);
}

/* Some statements empty the rows, then one deletes all empty rows. */
void store_endpoints_delete(struct tx *tx, const char *id, const char *resource,
                            const struct endpoint *endpoints, size_t count)
{
	endpoint_write_rows(tx, id, resource, endpoints, count, true);
	if (count)
		tx_exec(tx, "DELETE FROM endpoints WHERE registry_id = ? "
		        "AND resource = ? AND records = ''",
		        TX_BIND(tx_text(id), tx_text(resource)));
}
