#include "base/buf.h"
#include "runtime/tx_list.h"
#include "store.h"
#include "store_cname_ready.h"

/* ---- states: the changes are those of core/former_name.h ---- */

/* Rows of CONDITION that EVENT makes TO; SET, what else changes, sees the states before. */
struct change {
	enum move_event event;
	enum move_state to;
	const char *condition, *set;	/* SET NULL: nothing else */
};

/*
 * "m.state IN ('ADD', 'TOLD')": the states that a change is of. TO itself is one of them only
 * if the row changes all the same: a CNAME that turns has another target.
 */
static void states_sql(struct buf *sql, const struct change *change)
{
	const char *before = "m.state IN (";

	for (enum move_state from = MOVE_ADD; from < MOVE_GONE; from++) {
		if (move_next(from, change->event) != change->to ||
		    (from == change->to && change->event != MOVE_TURNS))
			continue;
		buf_printf(sql, "%s'%s'", before, move_state_name(from));
		before = ", ";
	}
	buf_text(sql, ")");
}

static void exec_change(struct tx *tx, const char *head, const struct change *change,
                        const struct tx_value *bind)
{
	struct buf sql = { 0 };

	buf_printf(&sql, "%s WHERE %s AND ", head, change->condition);
	states_sql(&sql, change);
	tx_exec(tx, buf_string(&sql), bind);
	buf_clear(&sql);
}

/* Whoever has read a row knows by seq that it has changed since. */
static void change_rows(struct tx *tx, const struct change *change,
                        const struct tx_value *bind)
{
	struct buf head = { 0 };

	buf_printf(&head, "UPDATE route_moves m SET %s m.seq = m.seq + 1, m.state = '%s'",
	           change->set ? change->set : "", move_state_name(change->to));
	exec_change(tx, buf_string(&head), change, bind);
	buf_clear(&head);
}

/* The routers of these rows have something to tell central. */
static void touch_routers(struct tx *tx, const struct change *change,
                          const struct tx_value *bind)
{
	exec_change(tx, "UPDATE routers d JOIN route_moves m ON m.router = d.name "
	            "SET d.rev = d.rev + 1, d.due_at = NOW(3), d.zone_status = 'PENDING'",
	            change, bind);
}

void store_move_stays(struct tx *tx, const char *route_id, const char *router,
                      const char *dns)
{
	change_rows(tx, &(struct change){ MOVE_STAYS, MOVE_WITHDRAW,
	            "m.route_id = ? AND m.router = ? AND m.dns = ?" },
	            TX_BIND(tx_text(route_id), tx_text(router), tx_text(dns)));
}

/* ---- what becomes of a name ---- */

/* One that has no CNAME is CACHED, unless it had one before. */
void store_move_insert(struct tx *tx, const struct move_row *move,
                       const struct move_times *times)
{
	if (!move->target)
		store_move_stays(tx, move->route_id, move->router, move->dns);
	tx_exec(tx,
	    "INSERT INTO route_moves (route_id, router, dns, target, state, ends_at, begins_at) "
	    "VALUES (?, ?, ?, ?, IF(? IS NULL, 'CACHED', 'ADD'), NOW(3) + INTERVAL ? + "
	    "GREATEST(?, (SELECT ttl FROM routers WHERE name = ?)) SECOND, "
	    "NOW(3) + INTERVAL ? SECOND) "
	    "ON DUPLICATE KEY UPDATE state = IF(VALUES(target) IS NULL, state, 'ADD'), "
	    "target = COALESCE(VALUES(target), target), ends_at = VALUES(ends_at), "
	    "begins_at = VALUES(begins_at), needs = NULL, seq = seq + 1",
	    TX_BIND(tx_text(move->route_id), tx_text(move->router), tx_text(move->dns),
	            tx_text(move->target), tx_text(move->target), tx_int(times->delay_s),
	            tx_int(times->grace_s), tx_text(move->router),
	            tx_int(times->delay_s)));
}

/* How long it is to lead there, from when it does. */
#define SPAN "TIMESTAMPDIFF(MICROSECOND, m.begins_at, m.ends_at)"

void store_moves_lead_to(struct tx *tx, const char *route_id, const char *target,
                         int delay_s)
{
	static const struct change turns = {
		MOVE_TURNS, MOVE_ADD, "m.route_id = ? AND m.target IS NOT NULL",
		"m.ends_at = IF(m.state = 'HAVE', m.ends_at, NOW(3) "
		"+ INTERVAL ? SECOND + INTERVAL " SPAN " MICROSECOND), m.target = ?, "
		"m.begins_at = NOW(3) + INTERVAL ? SECOND, m.needs = NULL,",
	};

	touch_routers(tx, &turns, TX_BIND(tx_text(route_id)));
	change_rows(tx, &turns, TX_BIND(tx_int(delay_s), tx_text(target), tx_int(delay_s),
	                                tx_text(route_id)));
}

static void end_names(struct tx *tx, const char *condition, const struct tx_value *bind)
{
	const struct change ends = { MOVE_ENDS, MOVE_DROP, condition };

	touch_routers(tx, &ends, bind);
	change_rows(tx, &ends, bind);
}

void store_moves_end(struct tx *tx, const char *route_id)
{
	end_names(tx, "m.route_id = ?", TX_BIND(tx_text(route_id)));
}

void store_moves_end_host(struct tx *tx, const char *route_id, const char *host)
{
	end_names(tx, "m.route_id = ? AND m.dns = ?",
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

/* Of one of the tables that name routers of routes. */
static void read_routers(struct tx *tx, struct arena *arena, const char *head,
                         const char *const *route_ids, size_t count,
                         void (*each)(void *self, const char *route_id,
                                      const char *router), void *self)
{
	struct tx_value values[TX_LIST_MAX + 1];
	struct tx_rows rows;
	size_t places;
	const char *sql = tx_list(arena, head, ")", count, &places);

	tx_list_fill(values, route_ids, count, places);
	values[places] = (struct tx_value){ .type = TX_END };
	tx_select(tx, arena, &rows, sql, values);
	while (tx_next(&rows)) {
		const char *route_id = row_text(&rows);

		each(self, route_id, row_text(&rows));
	}
}

void store_routes_routers(struct tx *tx, struct arena *arena, const char *const *route_ids,
                          size_t count,
                          void (*each)(void *self, const char *route_id,
                                       const char *router), void *self)
{
	static const char *const heads[] = {
		"SELECT route_id, router FROM route_bindings WHERE route_id IN (",
		"SELECT route_id, router FROM route_moves WHERE route_id IN (",
	};

	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		read_routers(tx, arena, heads[i], route_ids, count, each, self);
}

void store_moves_again(struct tx *tx, const char *router)
{
	static const struct change turns = {
		MOVE_TURNS, MOVE_ADD,
		"m.router = ? AND m.state <> 'ADD' AND m.target IS NOT NULL",
		"m.begins_at = NOW(3),",
	};

	change_rows(tx, &turns, TX_BIND(tx_text(router)));
}

void store_router_movers(struct tx *tx, struct arena *arena, const char *router,
                         void (*each)(void *self, const char *router), void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          "SELECT b.router FROM route_moves m JOIN route_bindings b "
	          "ON b.route_id = m.route_id WHERE m.router = ? AND m.state <> 'DROP' "
	          "UNION SELECT had.router FROM route_moves m JOIN route_moves had "
	          "ON had.route_id = m.route_id WHERE m.router = ? AND m.state <> 'DROP' "
	          "AND had.state <> 'DROP'", TX_BIND(tx_text(router), tx_text(router)));
	while (tx_next(&rows))
		each(self, row_text(&rows));
}

void store_router_moves_end(struct tx *tx, const char *router)
{
	change_rows(tx, &(struct change){ MOVE_ENDS, MOVE_DROP, "m.router = ?" },
	            TX_BIND(tx_text(router)));
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

/* The grace begins; or the time for which a resolver may have the CNAME. */
void store_moves_out(struct tx *tx, const struct router_row *router)
{
	static const struct change begins = {
		MOVE_IS_OUT, MOVE_HAVE, "m.router = ?",
		"m.ends_at = GREATEST(m.ends_at, NOW(3) + INTERVAL " SPAN " MICROSECOND),",
	};
	static const struct change is_withdrawn = {
		MOVE_IS_OUT, MOVE_CACHED, "m.router = ?",
		"m.ends_at = GREATEST(m.ends_at, "
		"NOW(3) + INTERVAL GREATEST(m.ttl, ?) SECOND),",
	};

	change_rows(tx, &begins, TX_BIND(tx_text(router->name)));
	change_rows(tx, &is_withdrawn, TX_BIND(tx_u32(router->ttl), tx_text(router->name)));
}

#define COLUMNS "SELECT m.route_id, m.router, m.dns, m.target, m.state, m.seq " \
                "FROM route_moves m "

static void read_moves(struct tx_rows *rows, move_fn *each, void *self)
{
	while (tx_next(rows)) {
		struct move_row move = { .route_id = row_text(rows) };

		move.router = row_text(rows);
		move.dns = row_text(rows);
		move.target = row_text(rows);
		if (!move_state_parse(row_text(rows), &move.state))
			tx_fail(rows->tx, ERR_INTERNAL, "route_moves: unknown state");
		move.seq = (uint64_t)row_int(rows);
		each(self, &move);
	}
}

void store_moves_open(struct tx *tx, struct arena *arena, const char *router, int limit,
                      int patience_s, move_fn *each, void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          COLUMNS "LEFT JOIN route_bindings b ON b.route_id = m.route_id "
	          "WHERE m.router = ? AND (m.state IN ('WITHDRAW', 'DROP') "
	          "OR (m.state = 'ADD' AND " MAY_LEAD ")) LIMIT ?",
	          TX_BIND(tx_text(router), tx_int(patience_s), tx_int(limit)));
	read_moves(&rows, each, self);
}

/* By the index of state and ends_at: what is not over is not read. */
void store_moves_over(struct tx *tx, struct arena *arena, enum move_state state, int limit,
                      move_fn *each, void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          COLUMNS "WHERE m.state = ? AND m.ends_at <= NOW(3) "
	          "ORDER BY m.ends_at LIMIT ?",
	          TX_BIND(tx_text(move_state_name(state)), tx_int(limit)));
	read_moves(&rows, each, self);
}

/* Of a claim: its route is not called so again, nor wants to be. */
#define IS_NAME_BEFORE \
	"NOT EXISTS (SELECT 1 FROM route_bindings b WHERE b.route_id = c.route_id " \
	"AND b.dns = c.host) " \
	"AND NOT EXISTS (SELECT 1 FROM routes r WHERE r.id = c.route_id " \
	"AND r.host = c.host)"

static bool delete_row(struct tx *tx, const struct move_row *move)
{
	if (!tx_exec(tx,
	    "DELETE FROM route_moves WHERE route_id = ? AND router = ? AND dns = ? "
	    "AND seq = ?",
	    TX_BIND(tx_text(move->route_id), tx_text(move->router), tx_text(move->dns),
	            tx_int((int64_t)move->seq))))
		return false;
	tx_exec(tx,
	    "DELETE c FROM host_claims c WHERE c.host = ? AND c.route_id = ? "
	    "AND " IS_NAME_BEFORE, TX_BIND(tx_text(move->dns), tx_text(move->route_id)));
	return true;
}

bool store_move_event(struct tx *tx, const struct move_row *move, enum move_event event)
{
	enum move_state next = move_next(move->state, event);

	if (next == MOVE_GONE)
		return delete_row(tx, move);
	return tx_exec(tx,
	    "UPDATE route_moves SET state = ?, seq = seq + 1, ttl = GREATEST(ttl, ?) "
	    "WHERE route_id = ? AND router = ? AND dns = ? AND seq = ?",
	    TX_BIND(tx_text(move_state_name(next)), tx_u32(move->ttl),
	            tx_text(move->route_id), tx_text(move->router), tx_text(move->dns),
	            tx_int((int64_t)move->seq))) > 0;
}

void store_moves_told(struct tx *tx, const struct router_row *router,
                      const struct move_row *moves, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct move_row move = moves[i];

		move.ttl = router->ttl;
		store_move_event(tx, &move, MOVE_IS_TOLD);
	}
}

void store_moves_drop_all(struct tx *tx, const char *router)
{
	tx_exec(tx,
	    "DELETE c FROM host_claims c JOIN route_moves m ON m.dns = c.host "
	    "AND m.route_id = c.route_id WHERE m.router = ? AND " IS_NAME_BEFORE,
	    TX_BIND(tx_text(router)));
	tx_exec(tx, "DELETE FROM route_moves WHERE router = ?", TX_BIND(tx_text(router)));
}

/* A row that the name servers are to lose has a time that says nothing any more. */
#define IS_LEAVING "state IN ('WITHDRAW', 'WITHDRAWN', 'DROP')"

void store_router_moves(struct tx *tx, struct arena *arena,
                        const struct router_row *router, struct moves_left *left)
{
	struct tx_rows rows;

	*left = (struct moves_left){ .count = 0 };
	if (!tx_select_row(tx, arena, &rows,
	    "SELECT COUNT(*), COALESCE(SUM(state IN ('ADD', 'TOLD', 'HAVE')), 0), "
	    "COALESCE(SUM(" IS_LEAVING "), 0), GREATEST(COALESCE(MAX(ttl), 0), ?), "
	    "DATE_FORMAT(MAX(IF(" IS_LEAVING ", NULL, ends_at)), '%Y-%m-%dT%H:%i:%sZ') "
	    "FROM route_moves WHERE router = ?",
	    TX_BIND(tx_u32(router->ttl), tx_text(router->name))))
		return;
	left->count = row_int(&rows);
	left->leading = row_int(&rows);
	left->leaving = row_int(&rows);
	left->ttl = row_u32(&rows);
	left->until = row_text(&rows);
	tx_select_end(&rows);
}
