#include "store_record.h"

#include "store_pack.h"

bool store_reading(struct tx *tx, struct arena *arena, const char *id,
                   struct reading *reading)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows,
	    "SELECT read_serial, " TX_RFC3339("read_at")
	    " FROM registries WHERE id = ?", TX_BIND(tx_text(id))))
		return false;
	reading->serial = row_u32(&rows);
	reading->at = row_text(&rows);
	tx_select_end(&rows);
	return true;
}

void store_reading_put(struct tx *tx, const char *id, uint32_t serial)
{
	tx_exec(tx, "UPDATE registries SET read_serial = ?, read_at = NOW(3) "
	        "WHERE id = ?", TX_BIND(tx_u32(serial), tx_text(id)));
}

/* ---- reading ---- */

#define SELECT "SELECT name, type, owner, resource, ttl, records " \
               "FROM ownership_records WHERE registry_id = ?"

static void record_read_all(struct tx *tx, struct arena *arena, struct tx_rows *rows,
                            store_record_fn *each, void *self)
{
	while (tx_next(rows)) {
		struct record_row row = { .rrset.count = 0 };
		const char *text;
		uint32_t ttl;

		store_read_name(tx, rows, "ownership_records", &row.name, &text);
		row.rrset.type = (uint16_t)row_int(rows);
		row.owner = row_text(rows);
		row.resource = row_text(rows);
		ttl = row_u32(rows);
		store_unpack(tx, rows, "ownership_records", arena, ttl, &row.rrset);
		if (tx->err || !each(self, &row)) {
			tx_select_end(rows);
			return;
		}
	}
}

void store_records(struct tx *tx, struct arena *arena, const char *id,
                   store_record_fn *each, void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows, SELECT, TX_BIND(tx_text(id)));
	record_read_all(tx, arena, &rows, each, self);
}

void store_records_page(struct tx *tx, struct arena *arena, const char *id,
                        const struct name *name, uint16_t type, size_t count,
                        store_record_fn *each, void *self)
{
	char text[NAME_MAX_TEXT + 1] = "";
	struct tx_rows rows;

	if (name)
		name_format(name, text);
	tx_select(tx, arena, &rows,
	    SELECT " AND name >= ? AND (name > ? OR type > ?) ORDER BY name, type "
	    "LIMIT ?",
	    TX_BIND(tx_text(id), tx_text(text), tx_text(text), tx_int(type),
	            tx_int((int64_t)count)));
	record_read_all(tx, arena, &rows, each, self);
}

/* ---- writing ---- */

void store_records_put(struct tx *tx, const char *id, const struct record_row *rows,
                       size_t count)
{
	struct arena *arena = arena_new();
	struct tx_value *values = arena_alloc(arena, (7 * count + 1) * sizeof(*values));
	char text[NAME_MAX_TEXT + 1];

	for (size_t i = 0; i < count; i++) {
		struct tx_value *at = &values[7 * i];

		name_format(&rows[i].name, text);
		at[0] = tx_text(id);
		at[1] = tx_text(arena_strdup(arena, text));
		at[2] = tx_int(rows[i].rrset.type);
		at[3] = tx_text(rows[i].owner);
		at[4] = tx_text(rows[i].resource);
		at[5] = tx_u32(rows[i].rrset.ttl);
		at[6] = store_packed(&rows[i].rrset, arena);
	}
	if (count)
		tx_exec_rows(tx,
		    "INSERT INTO ownership_records (registry_id, name, type, owner, "
		    "resource, ttl, records) VALUES ", "(?,?,?,?,?,?,?)",
		    " ON DUPLICATE KEY UPDATE owner = VALUES(owner), "
		    "resource = VALUES(resource), ttl = VALUES(ttl), "
		    "records = VALUES(records)", values, 7, count);
	arena_free(&arena);
}

void store_record_delete(struct tx *tx, const char *id, const struct name *name,
                         uint16_t type)
{
	char text[NAME_MAX_TEXT + 1];

	name_format(name, text);
	tx_exec(tx, "DELETE FROM ownership_records "
	        "WHERE registry_id = ? AND name = ? AND type = ?",
	        TX_BIND(tx_text(id), tx_text(text), tx_int(type)));
}
