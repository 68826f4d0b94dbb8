#include "store.h"

#include "base/log.h"

/* ---- records in one piece ---- */

static struct tx_value packed(const struct rrset *set, struct arena *arena)
{
	struct buf octets = { 0 };
	struct tx_value value;

	rrset_pack(set, &octets);
	value = tx_bytes(arena_dup(arena, octets.data, octets.len), octets.len);
	buf_clear(&octets);
	return value;
}

static void unpack(struct tx *tx, struct tx_rows *rows, struct arena *arena, uint32_t ttl,
                   struct rrset *set)
{
	size_t len;
	const uint8_t *octets = row_bytes(rows, &len);

	if (!rrset_unpack(set, ttl, octets, octets ? len : 0, arena))
		tx_fail(tx, ERR_INTERNAL, "a row of records is broken");
	rrset_sort(set);
}

static void read_name(struct tx *tx, struct tx_rows *rows, struct name *name,
                      const char **text)
{
	*text = row_text(rows);
	if (name_parse(*text, "name", name, tx->why))
		tx_fail(tx, ERR_INTERNAL, "a name of a row is broken");
}

/* ---- sources ---- */

static void read_source(struct tx_rows *rows, struct source *source)
{
	source->resource = row_text(rows);
	source->is_complete = row_int(rows);
	source->endpoints = (size_t)row_int(rows);
}

bool store_source_read(struct tx *tx, const char *id, const char *resource,
                       struct source *source)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT resource, is_complete, endpoints FROM endpoint_sources "
	    "WHERE registry_id = ? AND resource = ? FOR UPDATE",
	    TX_BIND(tx_text(id), tx_text(resource))))
		return false;
	read_source(&rows, source);
	tx_select_end(&rows);
	source->resource = resource;
	return true;
}

void store_source_write(struct tx *tx, const char *id, const struct source *source)
{
	tx_exec(tx,
	    "INSERT INTO endpoint_sources "
	    "(registry_id, resource, is_complete, endpoints, reported_at) "
	    "VALUES (?, ?, ?, ?, NOW(3)) ON DUPLICATE KEY UPDATE "
	    "is_complete = VALUES(is_complete), endpoints = VALUES(endpoints), "
	    "reported_at = NOW(3)",
	    TX_BIND(tx_text(id), tx_text(source->resource), tx_int(source->is_complete),
	            tx_int((int64_t)source->endpoints)));
}

void store_sources(struct tx *tx, struct arena *arena, const char *id,
                   void (*each)(void *self, const struct source *source), void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	    "SELECT resource, is_complete, endpoints FROM endpoint_sources "
	    "WHERE registry_id = ?", TX_BIND(tx_text(id)));
	while (tx_next(&rows)) {
		struct source source;

		read_source(&rows, &source);
		each(self, &source);
	}
}

/* ---- endpoints ---- */

#define COLUMNS "SELECT name, type, set_id, resource, is_shared, ttl, records " \
                "FROM endpoints WHERE registry_id = ?"

static void read_endpoint(struct tx *tx, struct tx_rows *rows, struct arena *arena,
                          struct endpoint *endpoint)
{
	uint32_t ttl;

	*endpoint = (struct endpoint){ 0 };
	read_name(tx, rows, &endpoint->name, &endpoint->name_text);
	endpoint->want.type = (uint16_t)row_int(rows);
	endpoint->set_id = row_text(rows);
	endpoint->resource = row_text(rows);
	endpoint->is_shared = row_int(rows);
	endpoint->has_ttl = !row_is_null(rows);
	ttl = row_u32(rows);
	unpack(tx, rows, arena, ttl, &endpoint->want);
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

		read_endpoint(tx, &rows, arena, &endpoint);
		if (!tx->err)
			each(self, &endpoint);
	}
}

void store_endpoints_put(struct tx *tx, const char *id, const char *resource,
                         const struct endpoint *endpoints, size_t count)
{
	struct arena *arena = arena_new();
	struct tx_value *values = arena_alloc(arena, (8 * count + 1) * sizeof(*values));

	for (size_t i = 0; i < count; i++) {
		const struct endpoint *endpoint = &endpoints[i];
		struct tx_value *at = &values[8 * i];

		at[0] = tx_text(id);
		at[1] = tx_text(resource);
		at[2] = tx_text(endpoint->name_text);
		at[3] = tx_int(endpoint->want.type);
		at[4] = tx_text(endpoint->set_id);
		at[5] = endpoint->has_ttl ? tx_u32(endpoint->want.ttl) : tx_null();
		at[6] = tx_int(endpoint->is_shared);
		at[7] = packed(&endpoint->want, arena);
	}
	if (count)
		tx_exec_rows(tx,
		    "INSERT INTO endpoints (registry_id, resource, name, type, set_id, ttl, "
		    "is_shared, records) VALUES ", "(?,?,?,?,?,?,?,?)",
		    " ON DUPLICATE KEY UPDATE ttl = VALUES(ttl), "
		    "is_shared = VALUES(is_shared), records = VALUES(records)",
		    values, 8, count);
	arena_free(&arena);
}

void store_endpoint_delete(struct tx *tx, const char *id, const char *resource,
                           const struct endpoint *endpoint)
{
	tx_exec(tx,
	    "DELETE FROM endpoints WHERE registry_id = ? AND resource = ? AND name = ? "
	    "AND type = ? AND set_id = ?",
	    TX_BIND(tx_text(id), tx_text(resource), tx_text(endpoint->name_text),
	            tx_int(endpoint->want.type), tx_text(endpoint->set_id)));
}

/* ---- what was made ---- */

static void read_made(struct tx *tx, struct tx_rows *rows, struct arena *arena,
                      struct made_row *row)
{
	const char *text;
	uint32_t ttl;

	*row = (struct made_row){ 0 };
	read_name(tx, rows, &row->name, &text);
	row->is.type = (uint16_t)row_int(rows);
	row->resource = row_text(rows);
	row->is_programmed = row_int(rows);
	ttl = row_u32(rows);
	unpack(tx, rows, arena, ttl, &row->is);
}

void store_made(struct tx *tx, struct arena *arena, const char *id,
                void (*each)(void *self, const struct made_row *row), void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	    "SELECT name, type, resource, state = 'PROGRAMMED', ttl, records "
	    "FROM ownership WHERE registry_id = ?", TX_BIND(tx_text(id)));
	while (tx_next(&rows)) {
		struct made_row row;

		read_made(tx, &rows, arena, &row);
		if (!tx->err)
			each(self, &row);
	}
}

void store_made_put(struct tx *tx, const char *id, const struct made_row *rows,
                    size_t count)
{
	struct arena *arena = arena_new();
	struct tx_value *values = arena_alloc(arena, (7 * count + 1) * sizeof(*values));
	char text[NAME_MAX_TEXT + 1];

	for (size_t i = 0; i < count; i++) {
		const struct made_row *row = &rows[i];
		struct tx_value *at = &values[7 * i];

		name_format(&row->name, text);
		at[0] = tx_text(id);
		at[1] = tx_text(arena_strdup(arena, text));
		at[2] = tx_int(row->is.type);
		at[3] = tx_text(row->resource);
		at[4] = tx_text(row->is_programmed ? "PROGRAMMED" : "ACCEPTED");
		at[5] = tx_u32(row->is.ttl);
		at[6] = packed(&row->is, arena);
	}
	if (count)
		tx_exec_rows(tx,
		    "INSERT INTO ownership (registry_id, name, type, resource, state, ttl, "
		    "records, updated_at) VALUES ", "(?,?,?,?,?,?,?,NOW(3))",
		    " ON DUPLICATE KEY UPDATE resource = VALUES(resource), "
		    "state = VALUES(state), ttl = VALUES(ttl), records = VALUES(records), "
		    "updated_at = NOW(3)", values, 7, count);
	arena_free(&arena);
}

void store_made_delete(struct tx *tx, const char *id, const struct name *name,
                       uint16_t type)
{
	char text[NAME_MAX_TEXT + 1];

	name_format(name, text);
	tx_exec(tx, "DELETE FROM ownership WHERE registry_id = ? AND name = ? AND type = ?",
	        TX_BIND(tx_text(id), tx_text(text), tx_int(type)));
}
