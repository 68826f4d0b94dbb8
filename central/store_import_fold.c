#include "store.h"

/* The types whose data has names and is not text or base64, except for SOA. */
#define TYPES "(2,3,4,5,7,8,9,12,14,15,17,18,21,23,26,33,35,36,39,47,58,64,65,107)"

size_t store_import_capitals(struct tx *tx, const char *id, struct import_place *place,
                             struct arena *arena,
                             const char *names[IMPORT_CAPITALS_MAX])
{
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows,
	          "SELECT part, position, name FROM import_records FORCE INDEX (PRIMARY) "
	          "WHERE import_id = ? AND part >= ? AND (part > ? OR position > ?) AND "
	          "type IN " TYPES " AND data <> LOWER(data) ORDER BY part, position "
	          "LIMIT ?",
	          TX_BIND(tx_text(id), tx_u32(place->part), tx_u32(place->part),
	                  tx_int(place->position), tx_int(IMPORT_CAPITALS_MAX)));
	while (tx_next(&rows)) {
		place->part = row_u32(&rows);
		place->position = row_int(&rows);
		names[count++] = row_text(&rows);
	}
	return count;
}

size_t store_import_live_capitals(struct tx *tx, const struct import_step *step,
                                  const char *after, struct arena *arena,
                                  const char *names[IMPORT_CAPITALS_MAX])
{
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows,
	          "SELECT DISTINCT s.name FROM recordsets s FORCE INDEX (recordset_name) "
	          "STRAIGHT_JOIN records r FORCE INDEX (record_data) ON r.recordset_id = "
	          "s.id AND r.live = 1 WHERE s.domain_id = ? AND s.name > ? AND s.type "
	          "IN " TYPES " AND r.data <> LOWER(r.data) AND (SELECT 1 FROM "
	          "import_records FORCE INDEX (import_record_set) WHERE import_id = ? "
	          "AND name = s.name AND type = s.type LIMIT 1) = 1 "
	          "ORDER BY s.name LIMIT ?",
	          TX_BIND(tx_text(step->zone->is.id), tx_text(after),
	                  tx_text(step->import_id), tx_int(IMPORT_CAPITALS_MAX)));
	while (tx_next(&rows))
		names[count++] = row_text(&rows);
	return count;
}

#define STAGED \
	"SELECT name, type, data, rdata FROM import_records FORCE INDEX " \
	"(import_record_set) WHERE import_id = ? AND type IN " TYPES " AND name IN ("
#define LIVE \
	"SELECT s.name, s.type, r.data, r.rdata FROM recordsets s FORCE INDEX " \
	"(recordset_name) STRAIGHT_JOIN records r FORCE INDEX (record_data) ON " \
	"r.recordset_id = s.id AND r.live = 1 WHERE s.domain_id = ? AND s.type IN " \
	TYPES " AND s.name IN ("

void store_import_spellings(struct tx *tx, const struct import_step *step,
                            bool is_staged, const char *const *names, size_t count,
                            struct arena *arena, struct tx_rows *rows)
{
	struct tx_value values[IMPORT_CAPITALS_MAX + TX_LIST_MAX + 2] = {
		tx_text(is_staged ? step->import_id : step->zone->is.id) };
	size_t size;
	const char *sql = is_staged
		? tx_list(arena, STAGED, ") GROUP BY name, type, rdata_hash ORDER BY "
		          "MIN(part), MIN(position)", count, &size)
		: tx_list(arena, LIVE, ")", count, &size);

	tx_list_fill(values + 1, names, count, size);
	values[1 + size].type = TX_END;
	tx_select(tx, arena, rows, sql, values);
}

bool store_import_spelling_next(struct tx_rows *rows, struct spelling *spelling)
{
	size_t len;

	if (!tx_next(rows))
		return false;
	*spelling = (struct spelling){ .name = row_text(rows),
	                               .type = (uint16_t)row_int(rows) };
	spelling->rdata.data = row_text(rows);
	spelling->rdata.rdata = row_bytes(rows, &len);
	spelling->rdata.len = (uint16_t)len;
	return !rows->tx->err;
}

void store_import_spell(struct tx *tx, const char *id, const struct spelling *from,
                        const struct rdata *to)
{
	tx_exec(tx, "UPDATE import_records FORCE INDEX (import_record_set) SET data = ?, "
	            "rdata = ? WHERE import_id = ? AND name = ? AND type = ? AND "
	            "rdata_hash = UNHEX(SHA2(?, 256))",
	        TX_BIND(tx_text(to->data), tx_bytes(to->rdata, to->len), tx_text(id),
	                tx_text(from->name), tx_int(from->type),
	                tx_bytes(from->rdata.rdata, from->rdata.len)));
}
