#include <stdio.h>
#include <string.h>

#include "store.h"

/* ---- read ---- */

#define COLUMNS "SELECT r.id, r.namespace, r.name, r.project_id, r.host, r.labels, " \
                "r.backend, r.phase = 'scheduled', r.dns, r.is_waiting, r.last_error, " \
                "r.attempts, b.router, " TX_RFC3339("r.created_at") " "
#define FROM    "FROM routes r LEFT JOIN route_bindings b ON b.route_id = r.id "

static void route_row_read(struct tx_rows *rows, struct route_row *route)
{
	*route = (struct route_row){ 0 };
	snprintf(route->id, sizeof(route->id), "%s", row_text(rows));
	route->namespace = row_text(rows);
	route->name = row_text(rows);
	route->project_id = row_text(rows);
	route->host = row_text(rows);
	route->labels = row_text(rows);
	route->backend = row_text(rows);
	route->is_scheduled = row_int(rows);
	route->dns = row_text(rows);
	route->is_waiting = row_int(rows);
	route->last_error = row_text(rows);
	route->attempts = row_u32(rows);
	route->router = row_text(rows);
	route->created_at = row_text(rows);
}

static bool route_row_select(struct tx *tx, struct arena *arena,
                             const struct route_key *key,
                             const char *by_id, const char *by_name,
                             struct route_row *route)
{
	struct tx_rows rows;

	if (!(key->id
	      ? tx_select_row(tx, arena, &rows, by_id, TX_BIND(tx_text(key->id)))
	      : tx_select_row(tx, arena, &rows, by_name,
	                      TX_BIND(tx_text(key->namespace), tx_text(key->name)))))
		return false;
	route_row_read(&rows, route);
	tx_select_end(&rows);
	return !tx->err;
}

#define BY_ID   COLUMNS FROM "WHERE r.id = ?"
#define BY_NAME COLUMNS FROM "WHERE r.namespace = ? AND r.name = ?"

bool store_route_read(struct tx *tx, struct arena *arena, const struct route_key *key,
                      struct route_row *route)
{
	return route_row_select(tx, arena, key, BY_ID, BY_NAME, route);
}

bool store_route_lock(struct tx *tx, struct arena *arena, const struct route_key *key,
                      struct route_row *route)
{
	return route_row_select(tx, arena, key, BY_ID " FOR UPDATE",
	                        BY_NAME " FOR UPDATE", route);
}

static void route_rows_read(struct tx_rows *rows, route_fn *each, void *self)
{
	while (tx_next(rows)) {
		struct route_row route;

		route_row_read(rows, &route);
		each(self, &route);
	}
}

#define FILTERED \
	"WHERE r.id > ? AND (? IS NULL OR r.project_id = ?) " \
	"AND (? IS NULL OR r.namespace = ?) AND (? IS NULL OR b.router = ?) " \
	"AND (? IS NULL OR r.phase = ?) ORDER BY r.id LIMIT ?"
/* For one router the database may start with its bindings. */
#define FROM_BOUND "FROM routes r JOIN route_bindings b ON b.route_id = r.id "

void store_routes(struct tx *tx, struct arena *arena, const struct route_filter *filter,
                  route_fn *each, void *self)
{
	const char *project = filter->project_id, *namespace = filter->namespace;
	const char *router = filter->router, *phase = filter->phase;
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          router ? COLUMNS FROM_BOUND FILTERED : COLUMNS FROM FILTERED,
	          TX_BIND(tx_text(filter->marker), tx_text(project), tx_text(project),
	                  tx_text(namespace), tx_text(namespace), tx_text(router),
	                  tx_text(router), tx_text(phase), tx_text(phase),
	                  tx_int(filter->limit)));
	route_rows_read(&rows, each, self);
}

bool store_routes_any_due(struct tx *tx, const struct route_share *share)
{
	struct tx_value total = tx_u32(share->total), factor = tx_u32(share->factor);

	return tx_select_number(tx,
	    "SELECT EXISTS (SELECT 1 FROM routes r WHERE r.phase = 'new' AND NOT "
	    "r.is_waiting AND r.retry_at <= NOW(3) AND CRC32(r.id) % ? = ?) OR EXISTS "
	    "(SELECT 1 FROM routers d JOIN route_bindings b ON b.router = d.name "
	    "JOIN routes r ON r.id = b.route_id WHERE d.state = 'draining' "
	    "AND r.retry_at <= NOW(3) AND CRC32(r.id) % ? = ?)",
	    TX_BIND(total, factor, total, factor));
}

void store_routes_unbound(struct tx *tx, struct arena *arena,
                          const struct route_share *share, route_fn *each, void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          TX_SKIPS_LOCKED COLUMNS FROM
	          "WHERE r.phase = 'new' AND NOT r.is_waiting "
	          "AND r.retry_at <= NOW(3) AND CRC32(r.id) % ? = ? "
	          "ORDER BY r.retry_at LIMIT ? FOR UPDATE SKIP LOCKED",
	          TX_BIND(tx_u32(share->total), tx_u32(share->factor),
	                  tx_int(share->limit)));
	route_rows_read(&rows, each, self);
}

void store_routes_draining(struct tx *tx, struct arena *arena,
                           const struct route_share *share, route_fn *each, void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          TX_SKIPS_LOCKED COLUMNS
	          "FROM routers d JOIN route_bindings b ON b.router = d.name "
	          "JOIN routes r ON r.id = b.route_id WHERE d.state = 'draining' "
	          "AND r.retry_at <= NOW(3) AND CRC32(r.id) % ? = ? LIMIT ? "
	          "FOR UPDATE SKIP LOCKED",
	          TX_BIND(tx_u32(share->total), tx_u32(share->factor),
	                  tx_int(share->limit)));
	route_rows_read(&rows, each, self);
}

/* ---- write ---- */

static const char *route_row_parent(const struct route_row *route)
{
	return route->host ? host_parent(route->host) : NULL;
}

void store_route_insert(struct tx *tx, const struct route_row *route)
{
	tx_exec(tx,
	    "INSERT INTO routes (id, namespace, name, project_id, host, parent, labels, "
	    "backend, is_waiting, waits_since, last_error, retry_at, created_at) "
	    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NOW(6), ?, NOW(3), NOW(6))",
	    TX_BIND(tx_text(route->id), tx_text(route->namespace), tx_text(route->name),
	            tx_text(route->project_id), tx_text(route->host),
	            tx_text(route_row_parent(route)), tx_text(route->labels),
	            tx_text(route->backend), tx_int(route->is_waiting),
	            tx_text(route->last_error)));
}

void store_route_update(struct tx *tx, const struct route_row *route)
{
	tx_exec(tx,
	    "UPDATE routes SET waits_since = IF(? AND is_waiting AND host = ?, "
	    "waits_since, NOW(6)), host = ?, parent = ?, labels = ?, backend = ?, "
	    "is_waiting = ?, last_error = ?, attempts = 0, "
	    "retry_at = NOW(3) WHERE id = ?",
	    TX_BIND(tx_int(route->is_waiting), tx_text(route->host),
	            tx_text(route->host), tx_text(route_row_parent(route)),
	            tx_text(route->labels), tx_text(route->backend),
	            tx_int(route->is_waiting), tx_text(route->last_error),
	            tx_text(route->id)));
}

void store_route_delete(struct tx *tx, const char *id)
{
	tx_exec(tx, "DELETE FROM routes WHERE id = ?", TX_BIND(tx_text(id)));
}

void store_route_set_bound(struct tx *tx, const char *id, const char *dns)
{
	tx_exec(tx,
	    "UPDATE routes SET phase = 'scheduled', dns = ?, is_waiting = FALSE, "
	    "last_error = '', attempts = 0, retry_at = NOW(3) WHERE id = ?",
	    TX_BIND(tx_text(dns), tx_text(id)));
}

void store_route_set_unbound(struct tx *tx, const char *id, const char *reason)
{
	tx_exec(tx,
	    "UPDATE routes SET phase = 'new', dns = NULL, last_error = ?, attempts = 0, "
	    "retry_at = NOW(3) WHERE id = ?", TX_BIND(tx_text(reason), tx_text(id)));
}

void store_route_failed(struct tx *tx, const char *id, const char *reason,
                        int64_t after_ms)
{
	tx_exec(tx,
	    "UPDATE routes SET last_error = ?, attempts = attempts + 1, "
	    "retry_at = NOW(3) + INTERVAL ? MICROSECOND WHERE id = ?",
	    TX_BIND(tx_text(reason), tx_int(after_ms * 1000), tx_text(id)));
}

int64_t store_routes_clear_errors(struct tx *tx, const char *router, int limit)
{
	return tx_exec(tx,
	    "UPDATE routes r JOIN (SELECT b.route_id FROM routers d JOIN route_bindings "
	    "b ON b.router = d.name JOIN routes o ON o.id = b.route_id WHERE d.name = ? "
	    "AND d.state = 'active' AND o.last_error <> '' LIMIT ?) page "
	    "ON page.route_id = r.id SET r.last_error = '', r.attempts = 0",
	    TX_BIND(tx_text(router), tx_int(limit)));
}

int64_t store_routes_retry_now(struct tx *tx, int limit)
{
	int64_t made = tx_exec(tx,
	    "UPDATE routes SET retry_at = NOW(3) WHERE phase = 'new' "
	    "AND is_waiting = FALSE AND retry_at > NOW(3) LIMIT ?",
	                       TX_BIND(tx_int(limit)));
	int64_t moving = tx_exec(tx,
	    "UPDATE routes r JOIN (SELECT b.route_id FROM routers d JOIN route_bindings "
	    "b ON b.router = d.name JOIN routes o ON o.id = b.route_id "
	    "WHERE d.state = 'draining' AND o.retry_at > NOW(3) LIMIT ?) page "
	    "ON page.route_id = r.id SET r.retry_at = NOW(3)", TX_BIND(tx_int(limit)));

	return made > moving ? made : moving;
}

/* ---- namespaces ---- */

bool store_namespace_claim(struct tx *tx, const char *namespace, const char *project_id,
                           bool *was_free)
{
	/* the database counts an updated row twice */
	*was_free = tx_exec(tx,
	    "INSERT INTO route_namespaces (namespace, project_id) VALUES (?, ?) "
	    "ON DUPLICATE KEY UPDATE touched = touched + 1",
	    TX_BIND(tx_text(namespace), tx_text(project_id))) == 1;
	return tx_select_number(tx,
	    "SELECT project_id = ? FROM route_namespaces WHERE namespace = ? FOR UPDATE",
	    TX_BIND(tx_text(project_id), tx_text(namespace)));
}

bool store_project_is_full(struct tx *tx, const char *project_id, int limit)
{
	return tx_select_number(tx,
	    "SELECT COUNT(*) >= ? FROM (SELECT 1 FROM routes WHERE project_id = ? "
	    "LIMIT ?) own", TX_BIND(tx_int(limit), tx_text(project_id), tx_int(limit)));
}

void store_namespace_lock(struct tx *tx, const char *namespace)
{
	tx_exec(tx,
	    "UPDATE route_namespaces SET touched = touched + 1 WHERE namespace = ?",
	    TX_BIND(tx_text(namespace)));
}

/*
 * A transaction that creates a route locks the namespace first, so no route can be
 * created meanwhile.
 */
void store_namespace_release(struct tx *tx, const char *namespace)
{
	if (!tx_select_number(tx, "SELECT 1 FROM routes WHERE namespace = ? LIMIT 1",
	                         TX_BIND(tx_text(namespace))))
		tx_exec(tx, "DELETE FROM route_namespaces WHERE namespace = ?",
		        TX_BIND(tx_text(namespace)));
}

/* ---- routes that wait for a host ---- */

void store_routes_waiting(struct tx *tx, struct arena *arena, const char *host, int limit,
                          int skip, route_fn *each, void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          COLUMNS FROM "WHERE r.is_waiting = TRUE AND r.host = ? "
	          "ORDER BY r.waits_since, r.id LIMIT ? OFFSET ? FOR UPDATE",
	          TX_BIND(tx_text(host), tx_int(limit), tx_int(skip)));
	route_rows_read(&rows, each, self);
}

void store_routes_waiting_below(struct tx *tx, struct arena *arena, const char *parent,
                                int limit, int skip, route_fn *each, void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          COLUMNS FROM "WHERE r.is_waiting = TRUE AND r.parent = ? "
	          "ORDER BY r.waits_since, r.id LIMIT ? OFFSET ? FOR UPDATE",
	          TX_BIND(tx_text(parent), tx_int(limit), tx_int(skip)));
	route_rows_read(&rows, each, self);
}

void store_waiting_set_reasons(struct tx *tx, const char *host,
                               const struct route_row *owner,
                               const char *ours, const char *others)
{
	tx_exec(tx,
	    "UPDATE routes SET last_error = IF(project_id = ?, ?, ?) "
	    "WHERE is_waiting = TRUE AND host = ?",
	    TX_BIND(tx_text(owner->project_id), tx_text(ours), tx_text(others),
	            tx_text(host)));
}

/* A wildcard of another tenant above, or its host below, is a valid reason to wait. */
void store_hosts_unclaimed(struct tx *tx, struct arena *arena, int limit,
                           void (*each)(void *self, const char *host), void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          "SELECT DISTINCT r.host FROM routes r WHERE r.is_waiting = TRUE "
	          "AND NOT EXISTS (SELECT 1 FROM host_claims c WHERE c.host = r.host) "
	          "AND NOT EXISTS (SELECT 1 FROM host_claims c WHERE c.parent = r.parent "
	          "AND c.project_id <> r.project_id "
	          "AND CONCAT('*.', r.parent) IN (c.host, r.host)) LIMIT ?",
	          TX_BIND(tx_int(limit)));
	while (tx_next(&rows))
		each(self, row_text(&rows));
}
