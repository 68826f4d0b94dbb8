#include "store_order.h"

#include <string.h>

#include "store_pack.h"

static const char *const deeds[] = {
	[DEED_ADOPT] = "ADOPT", [DEED_RELEASE] = "RELEASE", [DEED_GIVE] = "GIVE",
};

static enum plan_deed deed_of(const char *text)
{
	for (size_t i = 0; text && i < sizeof(deeds) / sizeof(deeds[0]); i++)
		if (!strcmp(deeds[i], text))
			return (enum plan_deed)i;
	return DEED_ADOPT;
}

void store_order_put(struct tx *tx, const char *registry_id,
                     const struct order_row *order)
{
	struct arena *arena = arena_new();
	char text[NAME_MAX_TEXT + 1];

	if (order->has_name)
		name_format(&order->name, text);
	tx_exec(tx,
	    "INSERT INTO ownership_orders (id, registry_id, deed, name, is_below, type, "
	    "resource, expected, to_id, is_dry, ordered_by, ordered_at) "
	    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, LEFT(?, 255), NOW(3)) "
	    "ON DUPLICATE KEY UPDATE id = id",
	    TX_BIND(tx_text(order->id), tx_text(registry_id), tx_text(deeds[order->deed]),
	            tx_text(order->has_name ? text : NULL), tx_int(order->is_below),
	            tx_int(order->type), tx_text(order->resource),
	            store_packed(&order->expected, arena), tx_text(order->to_id),
	            tx_int(order->is_dry), tx_text(order->ordered_by)));
	arena_free(&arena);
}

static void read_order(struct tx *tx, struct tx_rows *rows, struct arena *arena,
                       struct order_row *order)
{
	const char *text;

	*order = (struct order_row){ .id = row_text(rows) };
	order->deed = deed_of(row_text(rows));
	order->has_name = !row_is_null(rows);
	text = row_text(rows);
	if (order->has_name && name_parse(text, "name", &order->name, tx->why))
		tx_fail(tx, ERR_INTERNAL, "a name of a row is broken");
	order->is_below = row_int(rows);
	order->type = order->expected.type = (uint16_t)row_int(rows);
	order->resource = row_text(rows);
	store_unpack(tx, rows, arena, 0, &order->expected);
	order->to_id = row_text(rows);
	order->to = row_text(rows);
	order->is_dry = row_int(rows);
}

void store_orders_open(struct tx *tx, struct arena *arena, const char *registry_id,
                       void (*each)(void *self, const struct order_row *order),
                       void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	    "SELECT o.id, o.deed, o.name, o.is_below, o.type, o.resource, o.expected, "
	    "o.to_id, r.storage_id, o.is_dry FROM ownership_orders o "
	    "LEFT JOIN registries r ON r.id = o.to_id "
	    "WHERE o.registry_id = ? AND o.state = 'OPEN' "
	    "AND (o.deed <> 'GIVE' OR r.id IS NOT NULL) "
	    "ORDER BY o.ordered_at, o.id LIMIT ?",
	    TX_BIND(tx_text(registry_id), tx_int(ORDERS_AT_ONCE)));
	while (tx_next(&rows)) {
		struct order_row order;

		read_order(tx, &rows, arena, &order);
		if (!tx->err)
			each(self, &order);
	}
}

void store_order_done(struct tx *tx, const char *id, const char *result)
{
	tx_exec(tx,
	    "UPDATE ownership_orders SET state = 'DONE', result = ?, done_at = NOW(3) "
	    "WHERE id = ? AND state = 'OPEN'", TX_BIND(tx_text(result), tx_text(id)));
}

bool store_order_read(struct tx *tx, struct arena *arena, const char *registry_id,
                      const char *id, const char **state, const char **result)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows,
	    "SELECT state, result FROM ownership_orders WHERE id = ? AND registry_id = ?",
	    TX_BIND(tx_text(id), tx_text(registry_id))))
		return false;
	*state = row_text(&rows);
	*result = row_text(&rows);
	tx_select_end(&rows);
	return true;
}

/* ---- what goes to another registry ---- */

static struct tx_value *values_of(struct arena *arena, const char *order_id,
                                  const struct made_row *rows, size_t count)
{
	struct tx_value *values = arena_alloc(arena, (3 * count + 1) * sizeof(*values));
	char text[NAME_MAX_TEXT + 1];

	for (size_t i = 0; i < count; i++) {
		name_format(&rows[i].name, text);
		values[3 * i] = tx_text(order_id);
		values[3 * i + 1] = tx_text(arena_strdup(arena, text));
		values[3 * i + 2] = tx_int(rows[i].is.type);
	}
	return values;
}

void store_order_sets_begin(struct tx *tx, const char *order_id,
                            const struct made_row *rows, size_t count)
{
	struct arena *arena = arena_new();

	tx_exec_rows(tx, "INSERT INTO ownership_order_sets (order_id, name, type) VALUES ",
	             "(?,?,?)", "", values_of(arena, order_id, rows, count), 3, count);
	arena_free(&arena);
}

void store_order_sets_end(struct tx *tx, const char *order_id)
{
	tx_exec(tx, "DELETE FROM ownership_order_sets WHERE order_id = ?",
	        TX_BIND(tx_text(order_id)));
}

/* "FROM the order's sets s, and the rows ALIAS of TABLE that a registry has of them" */
#define SETS_OF(table, alias) "ownership_order_sets s JOIN " table " " alias \
	" ON " alias ".registry_id = ? AND " alias ".name = s.name " \
	"AND " alias ".type = s.type "

void store_endpoints_copy(struct tx *tx, const char *id, const struct order_row *order)
{
	tx_exec(tx,
	    "INSERT IGNORE INTO endpoint_sources "
	    "(registry_id, resource, is_complete, endpoints, reported_at) "
	    "SELECT DISTINCT ?, e.resource, FALSE, 0, NOW(3) FROM "
	    SETS_OF("endpoints", "e") "WHERE s.order_id = ?",
	    TX_BIND(tx_text(order->to_id), tx_text(id), tx_text(order->id)));
	tx_exec(tx,
	    "INSERT IGNORE INTO endpoints (registry_id, resource, name, type, set_id, "
	    "ttl, is_shared, records) SELECT ?, e.resource, e.name, e.type, e.set_id, "
	    "e.ttl, e.is_shared, e.records FROM "
	    SETS_OF("endpoints", "e") "WHERE s.order_id = ?",
	    TX_BIND(tx_text(order->to_id), tx_text(id), tx_text(order->id)));
	tx_exec(tx,
	    "UPDATE endpoint_sources c SET endpoints = GREATEST(endpoints, "
	    "(SELECT COUNT(*) FROM endpoints e WHERE e.registry_id = c.registry_id "
	    "AND e.resource = c.resource)) WHERE c.registry_id = ?",
	    TX_BIND(tx_text(order->to_id)));
}

void store_endpoints_forget(struct tx *tx, const char *id, const struct order_row *order)
{
	tx_exec(tx,
	    "DELETE e FROM " SETS_OF("endpoints", "e")
	    "JOIN endpoints r ON r.registry_id = ? "
	    "AND r.resource = e.resource AND r.name = e.name AND r.type = e.type "
	    "AND r.set_id = e.set_id AND r.records = e.records AND r.ttl <=> e.ttl "
	    "WHERE s.order_id = ?",
	    TX_BIND(tx_text(id), tx_text(order->to_id), tx_text(order->id)));
}

/* What the receiver only intended gives way. */
void store_made_move(struct tx *tx, const char *id, const struct order_row *order)
{
	tx_exec(tx,
	    "DELETE o FROM " SETS_OF("ownership", "o")
	    "WHERE s.order_id = ? AND o.records IS NULL",
	    TX_BIND(tx_text(order->to_id), tx_text(order->id)));
	tx_exec(tx,
	    "UPDATE " SETS_OF("ownership", "o")
	    "SET o.registry_id = ?, o.updated_at = NOW(3) WHERE s.order_id = ?",
	    TX_BIND(tx_text(id), tx_text(order->to_id), tx_text(order->id)));
}

void store_made_part_with(struct tx *tx, const char *id, const struct order_row *order)
{
	tx_exec(tx, "DELETE o FROM " SETS_OF("ownership", "o") "WHERE s.order_id = ?",
	        TX_BIND(tx_text(id), tx_text(order->id)));
}

void store_records_give(struct tx *tx, const char *id, const struct order_row *order)
{
	tx_exec(tx,
	    "UPDATE " SETS_OF("ownership_records", "z")
	    "SET z.owner = ?, z.resource = '' WHERE s.order_id = ?",
	    TX_BIND(tx_text(id), tx_text(order->deed == DEED_GIVE ? order->to : ""),
	            tx_text(order->id)));
}

/* ---- how many there are, and those that are over ---- */

size_t store_orders_count(struct tx *tx, const char *registry_id)
{
	struct tx_rows rows;
	size_t count;

	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT COUNT(*) FROM ownership_orders "
	    "WHERE registry_id = ? AND state = 'OPEN'", TX_BIND(tx_text(registry_id))))
		return 0;
	count = (size_t)row_int(&rows);
	tx_select_end(&rows);
	return count;
}

void store_sweep_orders(struct tx *tx)
{
	tx_exec(tx, "DELETE FROM ownership_orders WHERE state = 'DONE' "
	        "AND done_at < NOW(3) - INTERVAL 1 DAY LIMIT 1000", TX_NONE);
}
