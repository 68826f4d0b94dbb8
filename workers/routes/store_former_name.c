#include "base/buf.h"
#include "runtime/tx_list.h"
#include "store.h"
#include "store_cname_ready.h"

/* ---- changes of states (core/former_name.h) ---- */

/*
 * EVENT moves rows that match CONDITION to the state TO. SET changes other columns
 * before.
 */
struct change {
	enum former_event event;
	enum former_state to;
	const char *condition, *set;	/* SET may be NULL */
};

/*
 * Writes "m.state IN ('ADD', 'TOLD')": the states that the event moves to TO. TO itself
 * is included only for a new target, which changes the row in each state.
 */
static void change_print_states(struct buf *sql, const struct change *change)
{
	const char *before = "m.state IN (";

	for (enum former_state from = FORMER_ADD; from < FORMER_GONE; from++) {
		if (former_name_next(from, change->event) != change->to ||
		    (from == change->to && change->event != FORMER_ON_RETARGET))
			continue;
		buf_printf(sql, "%s'%s'", before, former_name_state_name(from));
		before = ", ";
	}
	buf_text(sql, ")");
}

static void change_exec(struct tx *tx, const char *head, const struct change *change,
                        const struct tx_value *bind)
{
	struct buf sql = { 0 };

	buf_printf(&sql, "%s WHERE %s AND ", head, change->condition);
	change_print_states(&sql, change);
	tx_exec(tx, buf_string(&sql), bind);
	buf_clear(&sql);
}

/* Raises seq, which shows a reader that the row has changed. */
static void change_apply(struct tx *tx, const struct change *change,
                         const struct tx_value *bind)
{
	struct buf head = { 0 };

	buf_printf(&head, "UPDATE route_moves m SET %s m.seq = m.seq + 1, m.state = '%s'",
	           change->set ? change->set : "", former_name_state_name(change->to));
	change_exec(tx, buf_string(&head), change, bind);
	buf_clear(&head);
}

/* Makes the domains of the routers of these rows due. */
static void change_touch_routers(struct tx *tx, const struct change *change,
                                 const struct tx_value *bind)
{
	change_exec(tx, "UPDATE routers d JOIN route_moves m ON m.router = d.name "
	            "SET d.rev = d.rev + 1, d.due_at = NOW(3), d.zone_status = 'PENDING'",
	            change, bind);
}

void store_former_name_keep(struct tx *tx, const char *route_id, const char *router,
                            const char *dns)
{
	change_apply(tx, &(struct change){ FORMER_ON_KEEP, FORMER_WITHDRAW,
	            "m.route_id = ? AND m.router = ? AND m.dns = ?" },
	            TX_BIND(tx_text(route_id), tx_text(router), tx_text(dns)));
}

/* ---- insert, retarget, end ---- */

/* A name without a CNAME starts in CACHED, unless it had a CNAME before. */
void store_former_name_insert(struct tx *tx, const struct former_name *former,
                              const struct former_name_times *times)
{
	if (!former->target)
		store_former_name_keep(tx, former->route_id, former->router, former->dns);
	tx_exec(tx,
	    "INSERT INTO route_moves (route_id, router, dns, target, state, ends_at, "
	    "begins_at) VALUES (?, ?, ?, ?, IF(? IS NULL, 'CACHED', 'ADD'), NOW(3) + "
	    "INTERVAL ? + GREATEST(?, (SELECT ttl FROM routers WHERE name = ?)) SECOND, "
	    "NOW(3) + INTERVAL ? SECOND) ON DUPLICATE KEY UPDATE "
	    "state = IF(VALUES(target) IS NULL, state, 'ADD'), "
	    "target = COALESCE(VALUES(target), target), ends_at = VALUES(ends_at), "
	    "begins_at = VALUES(begins_at), needs = NULL, seq = seq + 1",
	    TX_BIND(tx_text(former->route_id), tx_text(former->router),
	            tx_text(former->dns), tx_text(former->target),
	            tx_text(former->target), tx_int(times->delay_s),
	            tx_int(times->grace_s), tx_text(former->router),
	            tx_int(times->delay_s)));
}

/* The grace. */
#define GRACE "TIMESTAMPDIFF(MICROSECOND, m.begins_at, m.ends_at)"

void store_former_names_retarget(struct tx *tx, const char *route_id, const char *target,
                                 int delay_s)
{
	static const struct change retarget = {
		FORMER_ON_RETARGET, FORMER_ADD, "m.route_id = ? AND m.target IS NOT NULL",
		"m.ends_at = IF(m.state = 'HAVE', m.ends_at, NOW(3) "
		"+ INTERVAL ? SECOND + INTERVAL " GRACE " MICROSECOND), m.target = ?, "
		"m.begins_at = NOW(3) + INTERVAL ? SECOND, m.needs = NULL,",
	};

	change_touch_routers(tx, &retarget, TX_BIND(tx_text(route_id)));
	change_apply(tx, &retarget, TX_BIND(tx_int(delay_s), tx_text(target),
	                                    tx_int(delay_s), tx_text(route_id)));
}

static void former_names_end(struct tx *tx, const char *condition,
                             const struct tx_value *bind)
{
	const struct change ends = { FORMER_ON_END, FORMER_DROP, condition };

	change_touch_routers(tx, &ends, bind);
	change_apply(tx, &ends, bind);
}

void store_former_names_end(struct tx *tx, const char *route_id)
{
	former_names_end(tx, "m.route_id = ?", TX_BIND(tx_text(route_id)));
}

void store_former_names_end_host(struct tx *tx, const char *route_id, const char *host)
{
	former_names_end(tx, "m.route_id = ? AND m.dns = ?",
	                 TX_BIND(tx_text(route_id), tx_text(host)));
}

void store_route_routers(struct tx *tx, struct arena *arena, const char *route_id,
                         void (*each)(void *self, const char *router), void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          "SELECT router FROM route_bindings WHERE route_id = ? "
	          "UNION SELECT router FROM route_moves WHERE route_id = ?",
	          TX_BIND(tx_text(route_id), tx_text(route_id)));
	while (tx_next(&rows))
		each(self, row_text(&rows));
}

/* HEAD: a query of a table with the columns route_id and router. */
static void store_read_routers(struct tx *tx, struct arena *arena, const char *head,
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

void store_routes_routers(struct tx *tx, struct arena *arena,
                          const char *const *route_ids, size_t count,
                          void (*each)(void *self, const char *route_id,
                                       const char *router), void *self)
{
	static const char *const heads[] = {
		"SELECT route_id, router FROM route_bindings WHERE route_id IN (",
		"SELECT route_id, router FROM route_moves WHERE route_id IN (",
	};

	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		store_read_routers(tx, arena, heads[i], route_ids, count, each, self);
}

void store_former_names_resend(struct tx *tx, const char *router)
{
	static const struct change retarget = {
		FORMER_ON_RETARGET, FORMER_ADD,
		"m.router = ? AND m.state <> 'ADD' AND m.target IS NOT NULL",
		"m.ends_at = IF(m.state = 'HAVE', m.ends_at, NOW(3) + INTERVAL " GRACE
		" MICROSECOND), m.begins_at = NOW(3),",
	};

	change_apply(tx, &retarget, TX_BIND(tx_text(router)));
}

void store_router_successors(struct tx *tx, struct arena *arena, const char *router,
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

void store_router_former_names_end(struct tx *tx, const char *router)
{
	change_apply(tx, &(struct change){ FORMER_ON_END, FORMER_DROP, "m.router = ?" },
	            TX_BIND(tx_text(router)));
}

/* The present version is the version of the binding or a later one. */
void store_former_names_set_needs(struct tx *tx, const char *router)
{
	tx_exec(tx,
	    "UPDATE route_moves m JOIN route_bindings b ON b.route_id = m.route_id "
	    "JOIN router_hosts h ON h.router = b.router SET m.needs = h.version "
	    "WHERE m.router = ? AND m.state = 'ADD' AND m.needs IS NULL",
	    TX_BIND(tx_text(router)));
}

void store_former_names_wake(struct tx *tx, const char *router, int patience_s)
{
	tx_exec(tx,
	    "UPDATE routers d JOIN (SELECT DISTINCT m.router FROM route_moves m "
	    "JOIN route_bindings b ON b.route_id = m.route_id WHERE m.state = 'ADD' "
	    "AND b.router = ? AND " CNAME_IS_READY ") ready ON ready.router = d.name "
	    "SET d.due_at = NOW(3) WHERE d.due_at > NOW(3)",
	    TX_BIND(tx_text(router), tx_int(patience_s)));
}

/* Starts the grace, or the time for which a resolver may have the CNAME. */
void store_former_names_published(struct tx *tx, const struct router_row *router)
{
	static const struct change published = {
		FORMER_ON_PUBLISHED, FORMER_HAVE, "m.router = ?",
		"m.ends_at = GREATEST(m.ends_at, "
		"NOW(3) + INTERVAL " GRACE " MICROSECOND),"
	};
	static const struct change withdrawn = {
		FORMER_ON_PUBLISHED, FORMER_CACHED, "m.router = ?",
		"m.ends_at = GREATEST(m.ends_at, "
		"NOW(3) + INTERVAL GREATEST(m.ttl, ?) SECOND),",
	};

	change_apply(tx, &published, TX_BIND(tx_text(router->name)));
	change_apply(tx, &withdrawn, TX_BIND(tx_u32(router->ttl), tx_text(router->name)));
}

#define COLUMNS "SELECT m.route_id, m.router, m.dns, m.target, m.state, m.seq " \
                "FROM route_moves m "

static void former_names_read(struct tx_rows *rows, former_name_fn *each, void *self)
{
	while (tx_next(rows)) {
		struct former_name former = { .route_id = row_text(rows) };
		const char *state;

		former.router = row_text(rows);
		former.dns = row_text(rows);
		former.target = row_text(rows);
		state = row_text(rows);
		if (!former_name_state_parse(state, &former.state))
			tx_fail(rows->tx, ERR_INTERNAL, "the column route_moves.state "
			        "must contain ADD, TOLD, HAVE, WITHDRAW, WITHDRAWN, "
			        "CACHED or DROP, not '%.16s': correct the row with the "
			        "route_id %.32s and the router %.63s",
			        state, former.route_id, former.router);
		former.seq = (uint64_t)row_int(rows);
		each(self, &former);
	}
}

void store_former_names_unsent(struct tx *tx, struct arena *arena, const char *router,
                               int limit,
                               int patience_s, former_name_fn *each, void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          COLUMNS "LEFT JOIN route_bindings b ON b.route_id = m.route_id "
	          "WHERE m.router = ? AND (m.state IN ('WITHDRAW', 'DROP') "
	          "OR (m.state = 'ADD' AND " CNAME_IS_READY ")) LIMIT ?",
	          TX_BIND(tx_text(router), tx_int(patience_s), tx_int(limit)));
	former_names_read(&rows, each, self);
}

void store_former_names_kept(struct tx *tx, struct arena *arena, const char *router,
                             const struct former_name *after, int limit,
                             former_name_fn *each, void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          COLUMNS "WHERE m.router = ? AND m.state IN ('TOLD', 'HAVE') "
	          "AND m.target IS NOT NULL AND m.route_id >= ? "
	          "AND (m.route_id > ? OR m.dns > ?) "
	          "ORDER BY m.route_id, m.dns LIMIT ?",
	          TX_BIND(tx_text(router), tx_text(after->route_id),
	                  tx_text(after->route_id), tx_text(after->dns), tx_int(limit)));
	former_names_read(&rows, each, self);
}

/* The index of state and ends_at finds these rows without reading others. */
void store_former_names_expired(struct tx *tx, struct arena *arena,
                                enum former_state state, int limit,
                                former_name_fn *each, void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          COLUMNS "WHERE m.state = ? AND m.ends_at <= NOW(3) "
	          "ORDER BY m.ends_at LIMIT ?",
	          TX_BIND(tx_text(former_name_state_name(state)), tx_int(limit)));
	former_names_read(&rows, each, self);
}

/* True: the route of claim c neither has the host now nor wants it. */
#define IS_CLAIM_UNUSED \
	"NOT EXISTS (SELECT 1 FROM route_bindings b WHERE b.route_id = c.route_id " \
	"AND b.dns = c.host) " \
	"AND NOT EXISTS (SELECT 1 FROM routes r WHERE r.id = c.route_id " \
	"AND r.host = c.host)"

static bool former_name_delete(struct tx *tx, const struct former_name *former)
{
	if (!tx_exec(tx,
	    "DELETE FROM route_moves WHERE route_id = ? AND router = ? AND dns = ? "
	    "AND seq = ?",
	    TX_BIND(tx_text(former->route_id), tx_text(former->router),
	            tx_text(former->dns), tx_int((int64_t)former->seq))))
		return false;
	tx_exec(tx,
	    "DELETE c FROM host_claims c WHERE c.host = ? AND c.route_id = ? "
	    "AND " IS_CLAIM_UNUSED,
	    TX_BIND(tx_text(former->dns), tx_text(former->route_id)));
	return true;
}

bool store_former_name_apply(struct tx *tx, const struct former_name *former,
                             enum former_event event)
{
	enum former_state next = former_name_next(former->state, event);

	if (next == FORMER_GONE)
		return former_name_delete(tx, former);
	return tx_exec(tx,
	    "UPDATE route_moves SET state = ?, seq = seq + 1, ttl = GREATEST(ttl, ?) "
	    "WHERE route_id = ? AND router = ? AND dns = ? AND seq = ?",
	    TX_BIND(tx_text(former_name_state_name(next)), tx_u32(former->ttl),
	            tx_text(former->route_id), tx_text(former->router),
	            tx_text(former->dns), tx_int((int64_t)former->seq))) > 0;
}

void store_former_names_sent(struct tx *tx, const struct router_row *router,
                             const struct former_name *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct former_name former = names[i];

		former.ttl = router->ttl;
		store_former_name_apply(tx, &former, FORMER_ON_SENT);
	}
}

void store_router_former_names_delete(struct tx *tx, const char *router)
{
	tx_exec(tx,
	    "DELETE c FROM host_claims c JOIN route_moves m ON m.dns = c.host "
	    "AND m.route_id = c.route_id WHERE m.router = ? AND " IS_CLAIM_UNUSED,
	    TX_BIND(tx_text(router)));
	tx_exec(tx, "DELETE FROM route_moves WHERE router = ?", TX_BIND(tx_text(router)));
}

/* In these states ends_at has no meaning. */
#define IS_LEAVING "state IN ('WITHDRAW', 'WITHDRAWN', 'DROP')"

void store_router_former_names(struct tx *tx, struct arena *arena,
                               const struct router_row *router,
                               struct former_names_left *left)
{
	struct tx_rows rows;

	*left = (struct former_names_left){ .count = 0 };
	if (!tx_select_row(tx, arena, &rows,
	    "SELECT COUNT(*), COALESCE(SUM(state IN ('ADD', 'TOLD', 'HAVE')), 0), "
	    "COALESCE(SUM(" IS_LEAVING "), 0), GREATEST(COALESCE(MAX(ttl), 0), ?), "
	    TX_RFC3339("MAX(IF(" IS_LEAVING ", NULL, ends_at))")
	    " FROM route_moves WHERE router = ?",
	    TX_BIND(tx_u32(router->ttl), tx_text(router->name))))
		return;
	left->count = row_int(&rows);
	left->leading = row_int(&rows);
	left->leaving = row_int(&rows);
	left->ttl = row_u32(&rows);
	left->until = row_text(&rows);
	tx_select_end(&rows);
}
