#include "store_pack.h"

#define COLUMNS "SELECT o.name, o.type, o.resource, o.ttl, o.records, o.intended"

static void owned_row_read(struct tx *tx, struct tx_rows *rows, struct arena *arena,
                           struct owned_row *row)
{
	const char *text;
	uint32_t ttl;

	*row = (struct owned_row){ 0 };
	store_read_name(tx, rows, "ownership", &row->name, &text);
	row->rrset.type = row->intended.type = (uint16_t)row_int(rows);
	row->resource = row_text(rows);
	ttl = row_u32(rows);
	store_unpack(tx, rows, "ownership", arena, ttl, &row->rrset);
	store_unpack(tx, rows, "ownership", arena, ttl, &row->intended);
}

void store_owned(struct tx *tx, struct arena *arena, const char *id,
                 void (*each)(void *self, const struct owned_row *row), void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows, COLUMNS " FROM ownership o WHERE o.registry_id = ?",
	          TX_BIND(tx_text(id)));
	while (tx_next(&rows)) {
		struct owned_row row;

		owned_row_read(tx, &rows, arena, &row);
		if (!tx->err)
			each(self, &row);
	}
}

void store_owned_by_others(struct tx *tx, struct arena *arena, const char *id,
                           const char *zone,
                           void (*each)(void *self, const struct owned_row *row),
                           void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	    COLUMNS ", r.storage_id FROM ownership o "
	    "JOIN registries r ON r.id = o.registry_id WHERE r.zone = ? AND r.id <> ?",
	    TX_BIND(tx_text(zone), tx_text(id)));
	while (tx_next(&rows)) {
		struct owned_row row;

		owned_row_read(tx, &rows, arena, &row);
		row.storage_id = row_text(&rows);
		if (!tx->err)
			each(self, &row);
	}
}

static struct tx_value *owned_rows_values(struct arena *arena, const char *id,
                                          const struct owned_row *rows, size_t count,
                                          bool is_intended)
{
	struct tx_value *values = arena_alloc(arena, (6 * count + 1) * sizeof(*values));
	char text[NAME_MAX_TEXT + 1];

	for (size_t i = 0; i < count; i++) {
		const struct rrset *set =
		    is_intended ? &rows[i].intended : &rows[i].rrset;
		struct tx_value *at = &values[6 * i];

		name_format(&rows[i].name, text);
		at[0] = tx_text(id);
		at[1] = tx_text(arena_strdup(arena, text));
		at[2] = tx_int(set->type);
		at[3] = tx_text(rows[i].resource);
		at[4] = tx_u32(set->ttl);
		at[5] = store_packed(set, arena);
	}
	return values;
}

void store_owned_intend(struct tx *tx, const char *id, const struct owned_row *rows,
                        size_t count)
{
	struct arena *arena = arena_new();

	if (count)
		tx_exec_rows(tx,
		    "INSERT INTO ownership (registry_id, name, type, resource, ttl, "
		    "intended, updated_at) VALUES ", "(?,?,?,?,?,?,NOW(3))",
		    " ON DUPLICATE KEY UPDATE intended = VALUES(intended), "
		    "updated_at = NOW(3)", owned_rows_values(arena, id, rows, count,
		                                             true), 6,
		    count);
	arena_free(&arena);
}

void store_owned_put(struct tx *tx, const char *id, const struct owned_row *rows,
                     size_t count)
{
	struct arena *arena = arena_new();

	if (count)
		tx_exec_rows(tx,
		    "INSERT INTO ownership (registry_id, name, type, resource, ttl, "
		    "records, updated_at) VALUES ", "(?,?,?,?,?,?,NOW(3))",
		    " ON DUPLICATE KEY UPDATE resource = VALUES(resource), "
		    "ttl = VALUES(ttl), records = VALUES(records), intended = NULL, "
		    "updated_at = NOW(3)", owned_rows_values(arena, id, rows, count,
		                                             false), 6,
		    count);
	arena_free(&arena);
}

/* Some statements empty the rows, then one deletes all empty rows. */
static void owned_rows_empty(struct tx *tx, const char *id, const struct owned_row *rows,
                             size_t count, const char *change)
{
	struct arena *arena = arena_new();

	if (count) {
		tx_exec_rows(tx,
		    "INSERT INTO ownership (registry_id, name, type, resource, ttl, "
		    "intended, updated_at) VALUES ", "(?,?,?,?,?,?,NOW(3))",
		    change, owned_rows_values(arena, id, rows, count, true), 6, count);
		tx_exec(tx, "DELETE FROM ownership WHERE registry_id = ? "
		        "AND records IS NULL AND intended IS NULL", TX_BIND(tx_text(id)));
	}
	arena_free(&arena);
}

void store_owned_refused(struct tx *tx, const char *id, const struct owned_row *rows,
                         size_t count)
{
	owned_rows_empty(tx, id, rows, count, " ON DUPLICATE KEY UPDATE intended = NULL");
}

void store_owned_delete(struct tx *tx, const char *id, const struct owned_row *rows,
                        size_t count)
{
	owned_rows_empty(tx, id, rows, count,
	                 " ON DUPLICATE KEY UPDATE records = NULL, intended = NULL");
}

bool store_owned_has(struct tx *tx, const char *id, const char *resource)
{
	struct tx_rows rows;
	bool has;

	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT EXISTS (SELECT 1 FROM ownership "
	    "WHERE registry_id = ? AND resource = ?)",
	    TX_BIND(tx_text(id), tx_text(resource))))
		return false;
	has = row_int(&rows);
	tx_select_end(&rows);
	return has;
}

/* ---- lost rows ---- */

void store_owned_count(struct tx *tx, const char *id)
{
	tx_exec(tx,
	    "UPDATE registries SET made = "
	    "(SELECT COUNT(*) FROM ownership WHERE registry_id = ?) WHERE id = ?",
	    TX_BIND(tx_text(id), tx_text(id)));
}

bool store_owned_is_lost(struct tx *tx, const char *id)
{
	struct tx_rows rows;
	bool is_lost;

	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT made > (SELECT COUNT(*) FROM ownership WHERE registry_id = ?) "
	    "FROM registries WHERE id = ?", TX_BIND(tx_text(id), tx_text(id))))
		return false;
	is_lost = row_int(&rows);
	tx_select_end(&rows);
	return is_lost;
}

size_t store_owned_restore(struct tx *tx, const char *id, const char *owner)
{
	return (size_t)tx_exec(tx,
	    "INSERT INTO ownership "
	    "(registry_id, name, type, resource, ttl, intended, updated_at) "
	    "SELECT z.registry_id, z.name, z.type, z.resource, z.ttl, z.records, NOW(3) "
	    "FROM ownership_records z LEFT JOIN ownership o "
	    "ON o.registry_id = z.registry_id AND o.name = z.name AND o.type = z.type "
	    "WHERE z.registry_id = ? AND z.owner = ? AND o.name IS NULL",
	    TX_BIND(tx_text(id), tx_text(owner)));
}
