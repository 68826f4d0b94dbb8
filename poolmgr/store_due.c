#include "store_due.h"

#include "base/log.h"
#include "store_rows.h"

/* Rows of DOMAIN_COLUMNS, an action and a row's id, as a list in their order. */
static struct due *read_due(struct tx *tx, struct arena *arena, const char *pool,
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
		*last = due;
		last = &due->next;
	}
	return first;
}

/* What is done through a server's control channel; the rest is NOTIFY and polls. */
#define BY_CONTROL "(s.action <> 'UPDATE' OR s.status <=> 'NO_DOMAIN')"

/*
 * Of the list, what nobody else claimed meanwhile is left: it is open again, so that its
 * success clears what was planned (store_settle).
 */
static void claim(struct tx *tx, struct due **due, int ahead_s, int lease_s)
{
	while (*due) {
		if (tx_exec(tx,
		    "UPDATE pool_manager_status SET attempts = attempts + 1, "
		    "status = "
		    "IF(action <> 'UPDATE' AND status = 'SUCCESS', NULL, status), "
		    "next_attempt_at = NOW(3) + INTERVAL GREATEST(?, " PAUSE ") SECOND "
		    "WHERE id = ? AND next_attempt_at <= NOW(3) + INTERVAL ? SECOND",
		    TX_BIND(tx_int(lease_s), tx_text((*due)->row_id),
		            tx_int(ahead_s))) == 1)
			due = &(*due)->next;
		else
			*due = (*due)->next;
	}
}

struct due *store_due(struct tx *tx, struct arena *arena, const struct scope *scope,
                      const struct due_of *of, int lease_s)
{
	/* A server that lost the zone has to create it again before it can be updated. */
	struct due *first = read_due(tx, arena, scope->pool,
	    "SELECT " DOMAIN_COLUMNS ", "
	    "IF(s.status = 'NO_DOMAIN', 'CREATE', s.action), s.id "
	    "FROM pool_manager_status s JOIN domains d ON d.id = s.domain_id "
	    "JOIN pools p ON p.id = d.pool_id "
	    "WHERE s.server_id = ? AND " IS_MINE " "
	    "AND s.next_attempt_at <= NOW(3) + INTERVAL ? SECOND "
	    "AND (s.action = 'DELETE') = (d.task = 'DELETE' OR d.status = 'DELETED') "
	    "AND " BY_CONTROL " = ? ORDER BY s.next_attempt_at LIMIT ?",
	    TX_BIND(tx_text(of->server_id), SCOPE(scope), tx_int(of->ahead_s),
	            tx_int(of->control), tx_int((int64_t)of->limit)));

	claim(tx, &first, of->ahead_s, lease_s);
	return first;
}

void store_hurry(struct tx *tx, const char *domain_id)
{
	tx_exec(tx,
	    "UPDATE pool_manager_status SET next_attempt_at = NOW(3) "
	    "WHERE domain_id = ? AND (status IN ('ERROR', 'NO_DOMAIN') "
	    "OR next_attempt_at IS NOT NULL)", TX_BIND(tx_text(domain_id)));
}

void store_drop_plans(struct tx *tx, const char *domain_id)
{
	tx_exec(tx, "UPDATE pool_manager_status SET next_attempt_at = NULL "
	        "WHERE domain_id = ? AND action <> 'DELETE'",
	        TX_BIND(tx_text(domain_id)));
}

void store_release(struct tx *tx, const char *pool, const char *server_id, bool control)
{
	tx_exec(tx,
	    "UPDATE pool_manager_status s JOIN domains d ON d.id = s.domain_id "
	    "JOIN pools p ON p.id = d.pool_id "
	    "SET s.next_attempt_at = NOW(3), s.attempts = 0 "
	    "WHERE s.server_id = ? AND p.name = ? AND s.status IN ('ERROR', 'NO_DOMAIN') "
	    "AND s.next_attempt_at > NOW(3) AND " BY_CONTROL " = ?",
	    TX_BIND(tx_text(server_id), tx_text(pool), tx_int(control)));
}

int64_t store_return(struct tx *tx, const struct share *share, const char *server_id,
                     size_t limit)
{
	return tx_exec(tx,
	    "UPDATE pool_manager_status SET next_attempt_at = NOW(3) "
	    "WHERE server_id = ? AND next_attempt_at > NOW(3) "
	    "AND CRC32(domain_id) % ? = ? LIMIT ?",
	    TX_BIND(tx_text(server_id), tx_int((int64_t)share->total),
	            tx_int((int64_t)share->factor), tx_int((int64_t)limit)));
}

struct due *store_undeleted(struct tx *tx, struct arena *arena, const struct scope *scope,
                            const struct server *server, size_t limit, int stale_s)
{
	return read_due(tx, arena, scope->pool,
	    "SELECT " DOMAIN_COLUMNS ", 'DELETE', s.id FROM domains d "
	    "JOIN pools p ON p.id = d.pool_id "
	    "LEFT JOIN pool_manager_status s "
	    "ON s.domain_id = d.id AND s.server_id = ? AND s.action = 'DELETE' "
	    "WHERE " IS_MINE " AND " IS_FOR_IT " AND d.task = 'DELETE' "
	    "AND d.status IN ('PENDING', 'ERROR') "
	    "AND s.id IS NULL AND d.changed_at < NOW(3) - INTERVAL ? SECOND LIMIT ?",
	    TX_BIND(tx_text(server->settings->id), SCOPE(scope),
	            tx_int(server->driver->by_catalog), tx_int(stale_s),
	            tx_int((int64_t)limit)));
}

struct due *store_missing(struct tx *tx, struct arena *arena, const struct scope *scope,
                          const struct server *server, size_t limit, int stale_s)
{
	return read_due(tx, arena, scope->pool,
	    "SELECT " DOMAIN_COLUMNS ", 'CREATE', s.id FROM domains d "
	    "JOIN pools p ON p.id = d.pool_id "
	    "LEFT JOIN pool_manager_status s "
	    "ON s.domain_id = d.id AND s.server_id = ? AND s.action = 'CREATE' "
	    "WHERE " IS_MINE " AND " IS_FOR_IT " AND d.live = 1 "
	    "AND d.task <> 'DELETE' AND s.id IS NULL AND d.created_at < NOW(3) - "
	    "INTERVAL ? SECOND ORDER BY d.created_at LIMIT ?",
	    TX_BIND(tx_text(server->settings->id), SCOPE(scope),
	            tx_int(server->driver->by_catalog), tx_int(stale_s),
	            tx_int((int64_t)limit)));
}

/* A row in error has a time of its own (store_due). */
struct due *store_behind(struct tx *tx, struct arena *arena, const struct scope *scope,
                         const struct server *server, size_t limit, int stale_s)
{
	return read_due(tx, arena, scope->pool,
	    "SELECT " DOMAIN_COLUMNS ", 'UPDATE', s.id FROM domains d "
	    "JOIN pools p ON p.id = d.pool_id "
	    "LEFT JOIN pool_manager_status s "
	    "ON s.domain_id = d.id AND s.server_id = ? AND s.action = 'UPDATE' "
	    "WHERE " IS_MINE " AND " IS_FOR_IT " AND d.live = 1 AND d.task <> 'DELETE' "
	    "AND d.changed_at < NOW(3) - INTERVAL ? SECOND "
	    "AND (s.id IS NULL OR (s.next_attempt_at IS NULL AND "
	    "(s.serial_number IS NULL OR " NEWER("d.serial", "s.serial_number") "))) "
	    "ORDER BY d.changed_at LIMIT ?",
	    TX_BIND(tx_text(server->settings->id), SCOPE(scope),
	            tx_int(server->driver->by_catalog), tx_int(stale_s),
	            tx_int((int64_t)limit)));
}

struct due *store_unsettled(struct tx *tx, struct arena *arena, const struct scope *scope,
                            size_t limit, int stale_s)
{
	return read_due(tx, arena, scope->pool,
	    "SELECT " DOMAIN_BUT_VERSION ", "
	    "IF(d.task = 'DELETE', 'DELETE', 'UPDATE'), NULL "
	    "FROM domains d JOIN pools p ON p.id = d.pool_id "
	    "WHERE " IS_MINE " AND d.status IN ('PENDING', 'ERROR') "
	    "AND d.changed_at < NOW(3) - INTERVAL ? SECOND "
	    "ORDER BY d.status = 'ERROR', IF(d.status = 'ERROR', RAND(), 0), "
	    "d.changed_at LIMIT ?",
	    TX_BIND(SCOPE(scope), tx_int(stale_s), tx_int((int64_t)limit)));
}

struct due *store_page(struct tx *tx, struct arena *arena, const struct scope *scope,
                       const char *cursor, size_t limit)
{
	return read_due(tx, arena, scope->pool,
	    "SELECT " DOMAIN_COLUMNS ", 'UPDATE', NULL FROM domains d "
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
