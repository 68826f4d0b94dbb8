#include "store_due.h"

#include "base/log.h"
#include "runtime/tx_list.h"
#include "store_rows.h"

/* Reads DOMAIN_COLUMNS, an action, a row's id and `superseded`, in this order. */
static struct due *store_read_due(struct tx *tx, struct arena *arena, const char *pool,
                                  const char *sql, const struct tx_value *bind)
{
	struct due *first = NULL, **last = &first;
	struct tx_rows rows;

	tx_select(tx, arena, &rows, sql, bind);
	while (tx_next(&rows)) {
		struct due *due = arena_alloc(arena, sizeof(*due));

		store_read_domain(&rows, pool, &due->domain);
		bug_if(!action_parse(row_text(&rows), &due->action));
		due->row_id = row_text(&rows);
		due->superseded = row_int(&rows) != 0;
		*last = due;
		last = &due->next;
	}
	return first;
}

#define IS_SUPERSEDED \
	"(s.action = 'DELETE' AND EXISTS (SELECT 1 FROM domains n " \
	"WHERE n.name = d.name AND n.live = 1 AND n.task <> 'DELETE' AND n.id <> d.id))"

struct due *store_due(struct tx *tx, struct arena *arena, const struct scope *scope,
                      const struct due_of *of)
{
	/*
	 * A server that lost the zone must create it again before an update.
	 * STRAIGHT_JOIN makes the statement use the index of due rows, which may be few
	 * of many.
	 */
	return store_read_due(tx, arena, scope->pool,
	    "SELECT STRAIGHT_JOIN " DOMAIN_COLUMNS ", "
	    "IF(s.action = 'UPDATE' AND s.status = 'NO_DOMAIN', 'CREATE', s.action), "
	    "s.id, " IS_SUPERSEDED " "
	    "FROM pool_manager_status s JOIN domains d ON d.id = s.domain_id "
	    "JOIN pools p ON p.id = d.pool_id "
	    "WHERE s.server_id = ? AND " IS_MINE " "
	    "AND s.next_attempt_at <= NOW(3) + INTERVAL ? SECOND "
	    "AND (NOT ? OR (" WAITS_LONG("s") ")) "
	    "AND (s.action = 'DELETE') = (d.task = 'DELETE' OR d.status = 'DELETED') "
	    "AND s.by_control = ? ORDER BY s.next_attempt_at LIMIT ?",
	    TX_BIND(tx_text(of->server_id), SCOPE(scope), tx_int(of->ahead_s),
	            tx_int(of->waiting), tx_int(of->control),
	            tx_int((int64_t)of->limit)));
}

static size_t store_row_ids(const struct due *due, const char **ids)
{
	size_t count = 0;

	for (; due; due = due->next) {
		bug_if(count == TX_LIST_MAX);
		ids[count++] = due->row_id;
	}
	return count;
}

/* Keeps the IDS that are still due, sorted, and locks their rows. */
static size_t store_lock_due(struct tx *tx, struct arena *arena, const char **ids,
                             size_t count, int ahead_s)
{
	struct tx_value values[TX_LIST_MAX + 2];
	size_t places, locked = 0;
	struct tx_rows rows;
	const char *sql = tx_list(arena,
	    "SELECT id FROM pool_manager_status FORCE INDEX (PRIMARY) WHERE id IN (",
	    ") AND next_attempt_at <= NOW(3) + INTERVAL ? SECOND ORDER BY id FOR UPDATE",
	    count, &places);

	tx_list_fill(values, ids, count, places);
	values[places] = tx_int(ahead_s);
	values[places + 1].type = TX_END;
	tx_select(tx, arena, &rows, sql, values);
	while (tx_next(&rows))
		ids[locked++] = row_text(&rows);
	return locked;
}

/* Clears SUCCESS: a new success then clears the planned attempt (store_settle). */
static void store_postpone_due(struct tx *tx, struct arena *arena, const char *const *ids,
                               size_t count, int lease_s)
{
	struct tx_value values[TX_LIST_MAX + 2] = { tx_int(lease_s) };
	size_t places;
	const char *sql = tx_list(arena,
	    "UPDATE pool_manager_status FORCE INDEX (PRIMARY) "
	    "SET attempts = attempts + 1, status = "
	    "IF(action <> 'UPDATE' AND status = 'SUCCESS', NULL, status), "
	    "next_attempt_at = NOW(3) + INTERVAL GREATEST(?, " PAUSE ") SECOND "
	    "WHERE id IN (", ")", count, &places);

	tx_list_fill(values + 1, ids, count, places);
	values[1 + places].type = TX_END;
	tx_exec(tx, sql, values);
}

void store_claim(struct tx *tx, struct arena *arena, struct due **due, int ahead_s,
                 int lease_s)
{
	const char *ids[TX_LIST_MAX];
	size_t count = store_row_ids(*due, ids);

	if (count)
		count = store_lock_due(tx, arena, ids, count, ahead_s);
	while (*due)
		if (store_is_among((*due)->row_id, ids, count))
			due = &(*due)->next;
		else
			*due = (*due)->next;
	if (count)
		store_postpone_due(tx, arena, ids, count, lease_s);
}

void store_forget_due(struct tx *tx, const struct share *share, const struct due_of *of)
{
	struct arena *arena = arena_new();
	const char *ids[TX_LIST_MAX];
	/* a separate SELECT: a writing statement would lock rows of central, and wait */
	size_t count = store_read_ids(tx, arena,
	    "SELECT s.id FROM pool_manager_status s "
	    "LEFT JOIN domains d ON d.id = s.domain_id "
	    "WHERE s.server_id = ? AND s.by_control = ? AND s.next_attempt_at <= NOW(3) "
	    "AND CRC32(s.domain_id) % ? = ? AND d.id IS NULL LIMIT ?",
	    TX_BIND(tx_text(of->server_id), tx_int(of->control),
	            tx_int((int64_t)share->total), tx_int((int64_t)share->factor),
	            tx_int(TX_LIST_MAX)), ids, TX_LIST_MAX);

	store_exec_ids(tx, arena,
	    "DELETE s FROM pool_manager_status s FORCE INDEX (PRIMARY) WHERE s.id IN (",
	    ")", ids, count);
	arena_free(&arena);
}

void store_make_due(struct tx *tx, const char *domain_id)
{
	tx_exec(tx, NO_WAIT(tx,
	    "UPDATE pool_manager_status SET next_attempt_at = NOW(3), "
	    "attempts = LEAST(attempts, 1) WHERE domain_id = ? "
	    "AND (status IN ('ERROR', 'NO_DOMAIN') OR next_attempt_at IS NOT NULL)"),
	    TX_BIND(tx_text(domain_id)));
}

void store_drop_plans(struct tx *tx, const char *domain_id)
{
	tx_exec(tx, NO_WAIT(tx, "UPDATE pool_manager_status SET next_attempt_at = NULL "
	                    "WHERE domain_id = ? AND action <> 'DELETE'"),
	        TX_BIND(tx_text(domain_id)));
}

size_t store_release(struct tx *tx, const char *pool, const char *server_id,
                     bool control)
{
	struct arena *arena = arena_new();
	const char *ids[TX_LIST_MAX];
	/* a separate SELECT: a writing statement would lock rows of central, and wait */
	size_t count = store_read_ids(tx, arena,
	    "SELECT s.id FROM pool_manager_status s JOIN domains d ON d.id = s.domain_id "
	    "JOIN pools p ON p.id = d.pool_id AND p.name = ? "
	    "WHERE s.server_id = ? AND s.next_attempt_at > NOW(3) "
	    "AND s.status IN ('ERROR', 'NO_DOMAIN') AND s.by_control = ? LIMIT ?",
	    TX_BIND(tx_text(pool), tx_text(server_id), tx_int(control),
	            tx_int(TX_LIST_MAX)), ids, TX_LIST_MAX);

	store_exec_ids(tx, arena,
	    "UPDATE pool_manager_status FORCE INDEX (PRIMARY) "
	    "SET next_attempt_at = NOW(3), attempts = 0 "
	    "WHERE next_attempt_at > NOW(3) AND id IN (", ")", ids, count);
	arena_free(&arena);
	return count;
}

size_t store_recovered(struct tx *tx, struct arena *arena,
                       const struct server_report *const *reports, size_t count,
                       const char **server_ids)
{
	struct row_key keys[LIST_MAX];
	struct tx_rows rows;
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct row_key){ reports[i]->domain.id,
		                            reports[i]->name_server };
	store_select_rows(tx, arena, &rows,
	    "SELECT DISTINCT s.server_id FROM pool_manager_status s "
	    "WHERE s.action = 'UPDATE' AND " FAILS_OFTEN("s") " AND (", ")", keys, count);
	while (tx_next(&rows))
		server_ids[found++] = row_text(&rows);
	return found;
}

int64_t store_catch_up(struct tx *tx, const struct share *share, const char *server_id,
                       bool unfinished, size_t limit)
{
	return tx_exec(tx,
	    "UPDATE pool_manager_status SET next_attempt_at = NOW(3) "
	    "WHERE server_id = ? AND by_control IN (0, 1) AND next_attempt_at > NOW(3) "
	    "AND (NOT ? OR NOT (status <=> 'SUCCESS')) AND CRC32(domain_id) % ? = ? "
	    "LIMIT ?",
	    TX_BIND(tx_text(server_id), tx_int(unfinished), tx_int((int64_t)share->total),
	            tx_int((int64_t)share->factor), tx_int((int64_t)limit)));
}

const char *store_slice_end(struct tx *tx, struct arena *arena, const char *after,
                            const char *limit, size_t count)
{
	const char *end = limit;
	struct tx_rows rows;

	if (tx_select_row(tx, arena, &rows,
	    "SELECT id FROM domains WHERE id > ? AND id <= ? "
	    "ORDER BY id LIMIT 1 OFFSET ?",
	    TX_BIND(tx_text(after), tx_text(limit), tx_int((int64_t)count - 1)))) {
		end = row_text(&rows);
		tx_select_end(&rows);
	}
	return end;
}

/* A row in error is not read here: it becomes due by itself (store_due). */
struct due *store_missing(struct tx *tx, struct arena *arena, const struct scope *scope,
                          const struct slice *slice, const struct server *server,
                          size_t limit, int stale_s)
{
	const char *id = server->settings->id;

	return store_read_due(tx, arena, scope->pool,
	    "SELECT " DOMAIN_COLUMNS ", IF(d.task = 'DELETE', 'DELETE', "
	    "IF(m.id IS NULL, 'CREATE', 'UPDATE')), COALESCE(m.id, u.id), 0 "
	    "FROM domains d JOIN pools p ON p.id = d.pool_id "
	    "LEFT JOIN pool_manager_status m ON m.domain_id = d.id AND m.server_id = ? "
	    "AND m.action = IF(d.task = 'DELETE', 'DELETE', 'CREATE') "
	    "LEFT JOIN pool_manager_status u ON u.domain_id = d.id AND u.server_id = ? "
	    "AND u.action = 'UPDATE' "
	    "WHERE " IN_SLICE " AND " IS_MINE " AND " IS_FOR_IT " AND d.live = 1 "
	    "AND IF(d.task <> 'DELETE' AND m.id IS NULL, d.created_at, d.changed_at) "
	    "< NOW(3) - INTERVAL ? SECOND "
	    "AND (m.id IS NULL OR (d.task <> 'DELETE' AND (u.id IS NULL "
	    "OR (u.next_attempt_at IS NULL AND (u.serial_number IS NULL "
	    "OR " NEWER("d.serial", "u.serial_number") "))))) ORDER BY d.id LIMIT ?",
	    TX_BIND(tx_text(id), tx_text(id), SLICE(slice), SCOPE(scope),
	            tx_int(server->driver->by_catalog), tx_int(stale_s),
	            tx_int((int64_t)limit)));
}

struct due *store_unsettled(struct tx *tx, struct arena *arena, const struct scope *scope,
                            const struct slice *slice, size_t limit, int stale_s)
{
	return store_read_due(tx, arena, scope->pool,
	    "SELECT " DOMAIN_BUT_VERSION ", "
	    "IF(d.task = 'DELETE', 'DELETE', 'UPDATE'), NULL, 0 "
	    "FROM domains d JOIN pools p ON p.id = d.pool_id "
	    "WHERE " IN_SLICE " AND " IS_MINE " AND d.status IN ('PENDING', 'ERROR') "
	    "AND d.changed_at < NOW(3) - INTERVAL ? SECOND ORDER BY d.id LIMIT ?",
	    TX_BIND(SLICE(slice), SCOPE(scope), tx_int(stale_s), tx_int((int64_t)limit)));
}

struct due *store_page(struct tx *tx, struct arena *arena, const struct scope *scope,
                       const char *cursor, size_t limit)
{
	return store_read_due(tx, arena, scope->pool,
	    "SELECT " DOMAIN_COLUMNS ", 'UPDATE', NULL, 0 FROM domains d "
	    "JOIN pools p ON p.id = d.pool_id "
	    "WHERE " IS_MINE " AND d.live = 1 AND d.task <> 'DELETE' AND d.id > ? "
	    "ORDER BY d.id LIMIT ?",
	    TX_BIND(SCOPE(scope), tx_text(cursor), tx_int((int64_t)limit)));
}

int64_t store_count(struct tx *tx, const struct scope *scope)
{
	return store_read_count(tx,
	    "SELECT COUNT(*) FROM domains d JOIN pools p ON p.id = d.pool_id "
	    "WHERE " IS_MINE " AND d.live = 1 AND d.task <> 'DELETE'",
	    TX_BIND(SCOPE(scope)));
}
