#include "store_order.h"

#include <string.h>

#include "runtime/rpc_digest.h"
#include "store_pack.h"

static const char *const order_kinds[] = {
	[ORDER_ADOPT] = "ADOPT", [ORDER_RELEASE] = "RELEASE", [ORDER_TRANSFER] = "GIVE",
};

static enum plan_order_kind order_kind_of(struct tx *tx, const char *text)
{
	for (size_t i = 0; text && i < sizeof(order_kinds) / sizeof(order_kinds[0]); i++)
		if (!strcmp(order_kinds[i], text))
			return (enum plan_order_kind)i;
	tx_fail(tx, ERR_INTERNAL, "the column ownership_orders.deed must contain ADOPT, "
	        "RELEASE or GIVE, not '%.16s': correct this row in the database",
	        text ? text : "NULL");
	return ORDER_ADOPT;
}

/* ---- orders ---- */

static int64_t order_count_open(struct tx *tx, const char *registry_id, const char *but)
{
	struct tx_rows rows;
	int64_t count;

	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT COUNT(*) FROM ownership_orders "
	    "WHERE registry_id = ? AND state = 'OPEN' AND id <> ?",
	    TX_BIND(tx_text(registry_id), tx_text(but))))
		return 0;
	count = row_int(&rows);
	tx_select_end(&rows);
	return count;
}

/* Deletes some of the orders that ended more than a day ago. */
static void order_forget_old(struct tx *tx, const char *registry_id)
{
	tx_exec(tx,
	    "DELETE FROM ownership_orders WHERE registry_id = ? AND state = 'DONE' "
	    "AND done_at < NOW(3) - INTERVAL 1 DAY LIMIT ?",
	    TX_BIND(tx_text(registry_id), tx_int(ORDERS_OPEN_MAX)));
}

/* The row must belong to this registry and call. Older versions wrote a NULL digest. */
static void order_check(struct tx *tx, const char *registry_id, const uint8_t *digest,
                        const struct request *req)
{
	struct tx_rows rows;

	if (tx_select_row(tx, NULL, &rows,
	    "SELECT 1 FROM ownership_orders WHERE id = ? AND registry_id = ? "
	    "AND COALESCE(digest = ?, 1) FOR UPDATE",
	    TX_BIND(tx_text(req->unique_id), tx_text(registry_id),
	            tx_bytes(digest, RPC_DIGEST_LEN))))
		tx_select_end(&rows);
	else if (!tx->err)
		rpc_digest_conflict(tx, req);
}

static void order_insert(struct tx *tx, const char *registry_id,
                         const struct order_row *order, const uint8_t *digest)
{
	struct arena *arena = arena_new();
	char text[NAME_MAX_TEXT + 1];

	if (order->has_name)
		name_format(&order->name, text);
	tx_exec(tx,
	    "INSERT INTO ownership_orders (id, registry_id, deed, name, is_below, type, "
	    "resource, expected, to_id, is_dry, ordered_by, digest, ordered_at) "
	    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, LEFT(?, 255), ?, NOW(3)) "
	    "ON DUPLICATE KEY UPDATE id = id",
	    TX_BIND(tx_text(order->id), tx_text(registry_id),
	            tx_text(order_kinds[order->kind]),
	            tx_text(order->has_name ? text : NULL), tx_int(order->is_below),
	            tx_int(order->type), tx_text(order->resource),
	            store_packed(&order->expected, arena), tx_text(order->to_id),
	            tx_int(order->is_dry), tx_text(order->ordered_by),
	            tx_bytes(digest, RPC_DIGEST_LEN)));
	arena_free(&arena);
}

void store_order_put(struct tx *tx, const char *registry_id,
                     const struct order_row *order, const struct request *req)
{
	uint8_t digest[RPC_DIGEST_LEN];

	rpc_digest(req, digest);
	if (order_count_open(tx, registry_id, order->id) >= ORDERS_OPEN_MAX)
		tx_fail(tx, ERR_QUOTA, "%d orders of this zone and storage_id are open: "
		        "wait until one of these orders is done", ORDERS_OPEN_MAX);
	order_forget_old(tx, registry_id);
	order_insert(tx, registry_id, order, digest);
	order_check(tx, registry_id, digest, req);
}

static void order_read(struct tx *tx, struct tx_rows *rows, struct arena *arena,
                       struct order_row *order)
{
	const char *text;

	*order = (struct order_row){ .id = row_text(rows) };
	order->kind = order_kind_of(tx, row_text(rows));
	order->has_name = !row_is_null(rows);
	text = row_text(rows);
	if (order->has_name && name_parse(text, "name", &order->name, tx->why))
		tx_fail(tx, ERR_INTERNAL, "the column ownership_orders.name must contain "
		        "a domain name, not '%.80s': correct this row in the database",
		        text);
	order->is_below = row_int(rows);
	order->type = order->expected.type = (uint16_t)row_int(rows);
	order->resource = row_text(rows);
	store_unpack(tx, rows, "ownership_orders", arena, 0, &order->expected);
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
	    "WHERE o.registry_id = ? AND o.state = 'OPEN' ORDER BY o.ordered_at, o.id "
	    "LIMIT ?", TX_BIND(tx_text(registry_id), tx_int(ORDERS_ROUND_MAX)));
	while (tx_next(&rows)) {
		struct order_row order;

		order_read(tx, &rows, arena, &order);
		if (!tx->err)
			each(self, &order);
	}
}

void store_order_done(struct tx *tx, const char *id, const char *result)
{
	tx_exec(tx,
	    "UPDATE ownership_orders SET state = 'DONE', result = ?, done_at = NOW(3) "
	    "WHERE id = ? AND state = 'OPEN'", TX_BIND(tx_text(result), tx_text(id)));
	tx_exec(tx, "DELETE FROM ownership_order_items WHERE order_id = ?",
	        TX_BIND(tx_text(id)));
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

/* ---- the sets of orders ---- */

void store_order_items_put(struct tx *tx, const char *order_id,
                           const struct order_set *sets, size_t count,
                           const char *state)
{
	struct arena *arena = arena_new();
	struct tx_value *values = arena_alloc(arena, (4 * count + 1) * sizeof(*values));
	char text[NAME_MAX_TEXT + 1];

	for (size_t i = 0; i < count; i++) {
		struct tx_value *at = &values[4 * i];

		name_format(&sets[i].name, text);
		at[0] = tx_text(order_id);
		at[1] = tx_text(arena_strdup(arena, text));
		at[2] = tx_int(sets[i].type);
		at[3] = tx_text(state);
	}
	if (count)
		tx_exec_rows(tx,
		    "INSERT INTO ownership_order_items (order_id, name, type, state) "
		    "VALUES ", "(?,?,?,?)", " ON DUPLICATE KEY UPDATE "
		    "state = VALUES(state)", values, 4, count);
	arena_free(&arena);
}

void store_order_items(struct tx *tx, struct arena *arena, const char *registry_id,
                       void (*each)(void *self, const char *order_id,
                                    const struct order_set *set, bool is_done),
                       void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	    "SELECT i.order_id, i.name, i.type, i.state = '" ITEM_DONE "' "
	    "FROM ownership_orders o JOIN ownership_order_items i ON i.order_id = o.id "
	    "WHERE o.registry_id = ? AND o.state = 'OPEN'",
	    TX_BIND(tx_text(registry_id)));
	while (tx_next(&rows)) {
		const char *id = row_text(&rows), *text;
		struct order_set set;

		store_read_name(tx, &rows, "ownership_order_items", &set.name, &text);
		set.type = (uint16_t)row_int(&rows);
		if (!tx->err)
			each(self, id, &set, row_int(&rows));
	}
}

void store_order_items_settle(struct tx *tx, const char *order_id)
{
	tx_exec(tx, "UPDATE ownership_order_items SET state = '" ITEM_DONE "' "
	        "WHERE order_id = ? AND state = '" ITEM_APPLIED "'",
	        TX_BIND(tx_text(order_id)));
	tx_exec(tx, "DELETE FROM ownership_order_items "
	        "WHERE order_id = ? AND state = '" ITEM_REFUSED "'",
	        TX_BIND(tx_text(order_id)));
}

/* The items come first: see store_transfer.c. */
#define ITEMS "ownership_order_items i STRAIGHT_JOIN "
#define ACCEPTED "WHERE i.order_id = ? AND i.state = '" ITEM_ACCEPTED "' "

void store_order_items_unmake(struct tx *tx, const char *order_id,
                              const char *registry_id)
{
	tx_exec(tx,
	    "DELETE o FROM " ITEMS "ownership o ON o.name = i.name AND o.type = i.type "
	    ACCEPTED "AND o.registry_id = ?",
	    TX_BIND(tx_text(order_id), tx_text(registry_id)));
}

void store_order_items_own(struct tx *tx, const char *order_id, const char *registry_id,
                           const char *owner)
{
	tx_exec(tx,
	    "UPDATE " ITEMS "ownership_records z ON z.name = i.name AND z.type = i.type "
	    "SET z.owner = ?, z.resource = '' " ACCEPTED "AND z.registry_id = ?",
	    TX_BIND(tx_text(owner), tx_text(order_id), tx_text(registry_id)));
}
