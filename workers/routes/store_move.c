#include "store.h"
#include "store_serving.h"

void store_move_insert(struct tx *tx, const struct move_row *move,
                       const struct move_times *times)
{
	tx_exec(tx,
	    "INSERT INTO route_moves (route_id, router, dns, target, state, ends_at, begins_at) "
	    "VALUES (?, ?, ?, ?, IF(? IS NULL, 'HAVE', 'ADD'), NOW(3) + INTERVAL ? + "
	    "GREATEST(?, (SELECT ttl FROM routers WHERE name = ?)) SECOND, "
	    "NOW(3) + INTERVAL ? SECOND) "
	    "ON DUPLICATE KEY UPDATE state = IF(VALUES(target) IS NULL AND "
	    "target IS NOT NULL, 'DROP', VALUES(state)), "
	    "target = COALESCE(VALUES(target), target), ends_at = VALUES(ends_at), "
	    "begins_at = VALUES(begins_at), needs = NULL, seq = seq + 1",
	    TX_BIND(tx_text(move->route_id), tx_text(move->router), tx_text(move->dns),
	            tx_text(move->target), tx_text(move->target), tx_int(times->delay_s),
	            tx_int(times->grace_s), tx_text(move->router),
	            tx_int(times->delay_s)));
}

/* How long it is to lead there, from when it does. */
#define SPAN "TIMESTAMPDIFF(MICROSECOND, begins_at, ends_at)"

void store_moves_lead_to(struct tx *tx, const char *route_id, const char *target,
                         int delay_s)
{
	tx_exec(tx,
	    "UPDATE routers d JOIN route_moves m ON m.router = d.name "
	    "SET d.rev = d.rev + 1, d.due_at = NOW(3), d.zone_status = 'PENDING' "
	    "WHERE m.route_id = ? AND m.target IS NOT NULL AND m.state <> 'DROP'",
	    TX_BIND(tx_text(route_id)));
	tx_exec(tx,
	    "UPDATE route_moves SET ends_at = IF(state = 'HAVE', ends_at, NOW(3) "
	    "+ INTERVAL ? SECOND + INTERVAL " SPAN " MICROSECOND), target = ?, "
	    "state = 'ADD', seq = seq + 1, begins_at = NOW(3) + INTERVAL ? SECOND, "
	    "needs = NULL WHERE route_id = ? AND target IS NOT NULL AND state <> 'DROP'",
	    TX_BIND(tx_int(delay_s), tx_text(target), tx_int(delay_s),
	            tx_text(route_id)));
}

void store_move_end(struct tx *tx, const char *route_id, const char *router,
                    const char *dns)
{
	tx_exec(tx,
	    "UPDATE route_moves SET state = 'DROP', seq = seq + 1 "
	    "WHERE route_id = ? AND router = ? AND dns = ? AND state <> 'DROP'",
	    TX_BIND(tx_text(route_id), tx_text(router), tx_text(dns)));
}

#define DUE "UPDATE routers d JOIN route_moves m ON m.router = d.name " \
            "SET d.rev = d.rev + 1, d.due_at = NOW(3), d.zone_status = 'PENDING' WHERE "

void store_moves_end(struct tx *tx, const char *route_id)
{
	tx_exec(tx, DUE "m.route_id = ? AND m.state <> 'DROP'", TX_BIND(tx_text(route_id)));
	/* whoever is just told of one that ends knows it by its seq */
	tx_exec(tx,
	    "UPDATE route_moves SET state = 'DROP', seq = seq + 1 "
	    "WHERE route_id = ? AND state <> 'DROP'", TX_BIND(tx_text(route_id)));
}

void store_moves_end_host(struct tx *tx, const char *route_id, const char *host)
{
	tx_exec(tx, DUE "m.route_id = ? AND m.dns = ? AND m.state <> 'DROP'",
	        TX_BIND(tx_text(route_id), tx_text(host)));
	tx_exec(tx,
	    "UPDATE route_moves SET state = 'DROP', seq = seq + 1 "
	    "WHERE route_id = ? AND dns = ? AND state <> 'DROP'",
	    TX_BIND(tx_text(route_id), tx_text(host)));
}

void store_route_routers(struct tx *tx, struct arena *arena, const char *route_id,
                         void (*each)(void *self, const char *router), void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          "SELECT router FROM route_bindings WHERE route_id = ? UNION "
	          "SELECT router FROM route_moves WHERE route_id = ?",
	          TX_BIND(tx_text(route_id), tx_text(route_id)));
	while (tx_next(&rows))
		each(self, row_text(&rows));
}

void store_moves_again(struct tx *tx, const char *router)
{
	tx_exec(tx,
	    "UPDATE route_moves SET state = 'ADD', seq = seq + 1, begins_at = NOW(3) "
	    "WHERE router = ? AND state IN ('HAVE', 'TOLD') AND target IS NOT NULL",
	    TX_BIND(tx_text(router)));
}

void store_router_movers(struct tx *tx, struct arena *arena, const char *router,
                         void (*each)(void *self, const char *router), void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          "SELECT DISTINCT b.router FROM route_moves m JOIN route_bindings b "
	          "ON b.route_id = m.route_id WHERE m.router = ? AND m.state <> 'DROP'",
	          TX_BIND(tx_text(router)));
	while (tx_next(&rows))
		each(self, row_text(&rows));
}

void store_router_moves_end(struct tx *tx, const char *router)
{
	tx_exec(tx,
	    "UPDATE route_moves SET state = 'DROP', seq = seq + 1 "
	    "WHERE router = ? AND state <> 'DROP'", TX_BIND(tx_text(router)));
}

/* One moment for both: by a later one more would end than routers hear of. */
int64_t store_moves_expire(struct tx *tx)
{
	struct arena *arena = arena_new();
	struct tx_rows rows;
	int64_t count = 0;

	if (tx_select_row(tx, arena, &rows, "SELECT NOW(3)", TX_NONE)) {
		const char *now = row_text(&rows);

		tx_select_end(&rows);
		tx_exec(tx, DUE "m.state = 'HAVE' AND m.ends_at <= ?",
		        TX_BIND(tx_text(now)));
		count = tx_exec(tx,
		    "UPDATE route_moves SET state = 'DROP', seq = seq + 1 "
		    "WHERE state = 'HAVE' AND ends_at <= ?",
		    TX_BIND(tx_text(now)));
	}
	arena_free(&arena);
	return count;
}

void store_routers_dropping(struct tx *tx, struct arena *arena,
                            void (*each)(void *self, const char *router), void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          "SELECT router FROM route_moves WHERE state = 'DROP' UNION "
	          "SELECT b.router FROM route_moves m JOIN route_bindings b "
	          "ON b.route_id = m.route_id WHERE m.state = 'DROP'", TX_NONE);
	while (tx_next(&rows))
		each(self, row_text(&rows));
}

/* The version by now is that of the binding, or a later one. */
void store_moves_need(struct tx *tx, const char *router)
{
	tx_exec(tx,
	    "UPDATE route_moves m JOIN route_bindings b ON b.route_id = m.route_id "
	    "JOIN router_hosts h ON h.router = b.router SET m.needs = h.version "
	    "WHERE m.router = ? AND m.state = 'ADD' AND m.needs IS NULL",
	    TX_BIND(tx_text(router)));
}

void store_moves_served(struct tx *tx, const char *router, int patience_s)
{
	tx_exec(tx,
	    "UPDATE routers d JOIN (SELECT DISTINCT m.router FROM route_moves m "
	    "JOIN route_bindings b ON b.route_id = m.route_id WHERE m.state = 'ADD' "
	    "AND b.router = ? AND " MAY_LEAD ") ready ON ready.router = d.name "
	    "SET d.due_at = NOW(3) WHERE d.due_at > NOW(3)",
	    TX_BIND(tx_text(router), tx_int(patience_s)));
}

void store_moves_out(struct tx *tx, const char *router)
{
	tx_exec(tx,
	    "UPDATE route_moves SET state = 'HAVE', ends_at = GREATEST(ends_at, NOW(3) "
	    "+ INTERVAL " SPAN " MICROSECOND) WHERE router = ? AND state = 'TOLD'",
	    TX_BIND(tx_text(router)));
}

void store_moves_open(struct tx *tx, struct arena *arena, const char *router, int limit,
                      int patience_s, move_fn *each, void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          "SELECT m.route_id, m.router, m.dns, m.target, m.state = 'DROP', m.seq "
	          "FROM route_moves m LEFT JOIN route_bindings b ON b.route_id = m.route_id "
	          "WHERE m.router = ? AND (m.state = 'DROP' OR (m.state = 'ADD' AND " MAY_LEAD
	          ")) LIMIT ?",
	          TX_BIND(tx_text(router), tx_int(patience_s), tx_int(limit)));
	while (tx_next(&rows)) {
		struct move_row move = { .route_id = row_text(&rows) };

		move.router = row_text(&rows);
		move.dns = row_text(&rows);
		move.target = row_text(&rows);
		move.is_drop = row_int(&rows);
		move.seq = (uint64_t)row_int(&rows);
		each(self, &move);
	}
}

/* Of a claim: its route is not called so again, nor wants to be. */
#define IS_NAME_BEFORE \
	"NOT EXISTS (SELECT 1 FROM route_bindings b WHERE b.route_id = c.route_id " \
	"AND b.dns = c.host) " \
	"AND NOT EXISTS (SELECT 1 FROM routes r WHERE r.id = c.route_id " \
	"AND r.host = c.host)"

static void done(struct tx *tx, const struct move_row *move)
{
	const struct tx_value *bind = TX_BIND(tx_text(move->route_id),
	                                      tx_text(move->router), tx_text(move->dns),
	                                      tx_int((int64_t)move->seq));

	if (!move->is_drop) {
		tx_exec(tx, "UPDATE route_moves SET state = 'TOLD' "
		    "WHERE route_id = ? AND router = ? AND dns = ? AND seq = ?", bind);
		return;
	}
	if (!tx_exec(tx,
	    "DELETE FROM route_moves WHERE route_id = ? AND router = ? AND dns = ? "
	    "AND seq = ?", bind))
		return;
	tx_exec(tx,
	    "DELETE c FROM host_claims c WHERE c.host = ? AND c.route_id = ? "
	    "AND " IS_NAME_BEFORE, TX_BIND(tx_text(move->dns), tx_text(move->route_id)));
}

void store_moves_done(struct tx *tx, const struct move_row *moves, size_t count)
{
	for (size_t i = 0; i < count; i++)
		done(tx, &moves[i]);
}

void store_moves_drop_all(struct tx *tx, const char *router)
{
	tx_exec(tx,
	    "DELETE c FROM host_claims c JOIN route_moves m ON m.dns = c.host "
	    "AND m.route_id = c.route_id WHERE m.router = ? AND " IS_NAME_BEFORE,
	    TX_BIND(tx_text(router)));
	tx_exec(tx, "DELETE FROM route_moves WHERE router = ?", TX_BIND(tx_text(router)));
}

int64_t store_router_moves(struct tx *tx, struct arena *arena, const char *router,
                           const char **until)
{
	struct tx_rows rows;
	int64_t count;

	if (!tx_select_row(tx, arena, &rows,
	    "SELECT COUNT(*), DATE_FORMAT(MAX(ends_at), '%Y-%m-%dT%H:%i:%sZ') "
	    "FROM route_moves WHERE router = ?", TX_BIND(tx_text(router))))
		return 0;
	count = row_int(&rows);
	*until = row_text(&rows);
	tx_select_end(&rows);
	return count;
}
