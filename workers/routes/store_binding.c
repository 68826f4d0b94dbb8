#include "store.h"

/* ---- bindings ---- */

#define COLUMNS "SELECT b.route_namespace, b.route_name, b.route_id, b.router, b.dns, " \
                "b.generation"

static void binding_row_read(struct tx_rows *rows, struct binding_row *binding)
{
	*binding = (struct binding_row){ 0 };
	binding->namespace = row_text(rows);
	binding->name = row_text(rows);
	binding->route_id = row_text(rows);
	binding->router = row_text(rows);
	binding->dns = row_text(rows);
	binding->generation = (uint64_t)row_int(rows);
}

bool store_binding_read(struct tx *tx, struct arena *arena, const char *route_id,
                        struct binding_row *binding)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows,
	    COLUMNS " FROM route_bindings b WHERE b.route_id = ? FOR UPDATE",
	    TX_BIND(tx_text(route_id))))
		return false;
	binding_row_read(&rows, binding);
	tx_select_end(&rows);
	return !tx->err;
}

void store_binding_insert(struct tx *tx, const struct binding_row *binding)
{
	tx_exec(tx,
	    "INSERT INTO route_bindings (route_namespace, route_name, route_id, router, "
	    "dns, created_at) VALUES (?, ?, ?, ?, ?, NOW(3))",
	    TX_BIND(tx_text(binding->namespace), tx_text(binding->name),
	            tx_text(binding->route_id), tx_text(binding->router),
	            tx_text(binding->dns)));
}

void store_binding_update(struct tx *tx, const struct binding_row *binding)
{
	tx_exec(tx,
	    "UPDATE route_bindings SET router = ?, dns = ?, generation = generation + 1 "
	    "WHERE route_id = ?",
	    TX_BIND(tx_text(binding->router), tx_text(binding->dns),
	            tx_text(binding->route_id)));
}

void store_binding_delete(struct tx *tx, const char *route_id)
{
	tx_exec(tx, "DELETE FROM route_bindings WHERE route_id = ?",
	        TX_BIND(tx_text(route_id)));
}

void store_bindings(struct tx *tx, struct arena *arena, const char *router,
                    const char *marker, int limit, binding_fn *each, void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          COLUMNS ", d.dns FROM route_bindings b "
	          "JOIN routers d ON d.name = b.router WHERE (? IS NULL "
	          "OR b.router = ?) AND b.route_id > ? ORDER BY b.route_id LIMIT ?",
	          TX_BIND(tx_text(router), tx_text(router), tx_text(marker),
	                  tx_int(limit)));
	while (tx_next(&rows)) {
		struct binding_row binding;

		binding_row_read(&rows, &binding);
		binding.router_dns = row_text(&rows);
		each(self, &binding);
	}
}

/* ---- the hosts that a router's instances serve ---- */

static void host_rows_read(struct tx_rows *rows, host_fn *each, void *self)
{
	while (tx_next(rows)) {
		struct host_row host = { .route_id = row_text(rows) };

		host.host = row_text(rows);
		host.backend = row_text(rows);
		each(self, &host);
	}
}

/*
 * The names of its routes, their former names, and all former names of routes with a
 * former name there: a CNAME may lead to the router from each of them.
 */
#define SELECT_HOSTS(condition) \
	"SELECT b.route_id, b.dns AS host, r.backend FROM route_bindings b " \
	"JOIN routes r ON r.id = b.route_id WHERE b.router = ? AND " condition \
	"UNION SELECT m.route_id, m.dns, r.backend FROM route_moves m " \
	"JOIN route_bindings b ON b.route_id = m.route_id " \
	"JOIN routes r ON r.id = m.route_id " \
	"WHERE b.router = ? AND m.state <> 'DROP' AND " condition \
	"UNION SELECT m.route_id, m.dns, r.backend FROM route_moves had " \
	"JOIN route_moves m ON m.route_id = had.route_id " \
	"JOIN routes r ON r.id = m.route_id WHERE had.router = ? " \
	"AND had.state <> 'DROP' AND m.state <> 'DROP' AND " condition \
	"ORDER BY route_id, host "

void store_route_hosts(struct tx *tx, struct arena *arena, const char *router,
                       const char *route_id, host_fn *each, void *self)
{
	struct tx_rows rows;
	struct tx_value name = tx_text(router), id = tx_text(route_id);

	tx_select(tx, arena, &rows, SELECT_HOSTS("r.id = ? "),
	          TX_BIND(name, id, name, id, name, id));
	host_rows_read(&rows, each, self);
}

/*
 * The id of the last route of a page; NULL: no route comes after MARKER. Reads at most
 * one page of the bindings, because a router may have many.
 */
static const char *hosts_page_end(struct tx *tx, struct arena *arena, const char *router,
                                  const char *marker, int limit)
{
	return tx_select_text(tx, arena,
	    "SELECT MAX(route_id) FROM ("
	    "(SELECT route_id FROM route_bindings WHERE router = ? AND route_id > ? "
	    "ORDER BY route_id LIMIT ?) "
	    "UNION (SELECT DISTINCT route_id FROM route_moves WHERE router = ? "
	    "AND route_id > ? AND state <> 'DROP' ORDER BY route_id LIMIT ?) "
	    "ORDER BY route_id LIMIT ?) AS page",
	    TX_BIND(tx_text(router), tx_text(marker), tx_int(limit), tx_text(router),
	            tx_text(marker), tx_int(limit), tx_int(limit)));
}

void store_router_hosts(struct tx *tx, struct arena *arena, const char *router,
                        const char *marker, int limit, host_fn *each, void *self)
{
	const char *last = hosts_page_end(tx, arena, router, marker, limit);
	struct tx_value name = tx_text(router);
	struct tx_value from = tx_text(marker), to = tx_text(last);
	struct tx_rows rows;

	if (!last)
		return;
	tx_select(tx, arena, &rows, SELECT_HOSTS("r.id > ? AND r.id <= ? "),
	          TX_BIND(name, from, to, name, from, to, name, from, to));
	host_rows_read(&rows, each, self);
}

/* ---- strategies ---- */

void store_strategy_lock(struct tx *tx, const char *strategy)
{
	tx_exec(tx,
	    "INSERT INTO scheduler_state (strategy, label, position) VALUES (?, '#', 1) "
	    "ON DUPLICATE KEY UPDATE position = position + 1",
	        TX_BIND(tx_text(strategy)));
}

uint64_t store_position_read(struct tx *tx, const char *strategy, const char *label)
{
	return (uint64_t)tx_select_number(tx,
	    "SELECT position FROM scheduler_state WHERE strategy = ? AND label = ? "
	    "FOR UPDATE", TX_BIND(tx_text(strategy), tx_text(label)));
}

void store_position_write(struct tx *tx, const char *strategy, const char *label,
                          uint64_t position)
{
	tx_exec(tx,
	    "INSERT INTO scheduler_state (strategy, label, position) VALUES (?, ?, ?) "
	    "ON DUPLICATE KEY UPDATE position = VALUES(position)",
	    TX_BIND(tx_text(strategy), tx_text(label), tx_int((int64_t)position)));
}
