#include "store_servers.h"

#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "runtime/tx_list.h"
#include "store_health.h"
#include "store_rows.h"

enum { SERVERS_MAX = 1024 };

void store_read_servers(struct tx *tx, struct arena *arena, const char *pool,
                        struct seen_servers *servers)
{
	struct tx_rows rows;

	servers->item = arena_alloc(arena, SERVERS_MAX * sizeof(*servers->item));
	servers->count = 0;
	tx_select(tx, arena, &rows,
	    "SELECT p.id, p.settings_digest, p.state = 'ACTIVE', EXISTS "
	    "(SELECT 1 FROM pool_manager_status s WHERE s.server_id = p.id "
	    "AND s.by_control IN (0, 1) "
	    "AND s.next_attempt_at <= NOW(3)), EXISTS "
	    "(SELECT 1 FROM pool_manager_status w WHERE w.server_id = p.id "
	    "AND w.by_control = 0 AND " WAITS_LONG("w") "), " HEALTH_COLUMNS " "
	    "FROM pool_servers p WHERE p.pool_name = ?",
	    TX_BIND(tx_text(pool)));
	while (servers->count < SERVERS_MAX && tx_next(&rows)) {
		struct seen_server *server = &servers->item[servers->count++];

		server->id = row_text(&rows);
		server->settings_digest = row_text(&rows);
		server->in_service = row_int(&rows) != 0;
		server->has_due = row_int(&rows) != 0;
		server->has_waiting = row_int(&rows) != 0;
		store_read_health(&rows, server->health);
	}
	tx_select_end(&rows);
}

/* by_control 0: updates of zones that the server has. */
void store_read_zones(struct tx *tx, struct arena *arena, const char *pool,
                      struct server_zones *zones)
{
	struct tx_rows rows;

	zones->item = arena_alloc(arena, SERVERS_MAX * sizeof(*zones->item));
	zones->count = 0;
	tx_select(tx, arena, &rows,
	    "SELECT p.id, (SELECT STRAIGHT_JOIN d.name FROM pool_manager_status s "
	    "FORCE INDEX (status_due_by) JOIN domains d ON d.id = s.domain_id "
	    "AND d.pool_id = o.id AND d.live = 1 AND d.task <> 'DELETE' "
	    "WHERE s.server_id = p.id AND s.by_control = 0 LIMIT 1) "
	    "FROM pool_servers p JOIN pools o ON o.name = p.pool_name "
	    "WHERE p.pool_name = ? AND p.state = 'ACTIVE'",
	    TX_BIND(tx_text(pool)));
	while (zones->count < SERVERS_MAX && tx_next(&rows)) {
		struct server_zone *zone = &zones->item[zones->count++];

		zone->server_id = row_text(&rows);
		zone->name = row_is_null(&rows) ? NULL : row_text(&rows);
	}
	tx_select_end(&rows);
}

const char *server_zones_find(const struct server_zones *zones, const char *server_id)
{
	for (size_t i = 0; i < zones->count; i++)
		if (!strcmp(zones->item[i].server_id, server_id))
			return zones->item[i].name;
	return NULL;
}

/* Writes "192.0.2.1 2001:db8::1". */
static void store_list_addresses(const struct addresses *known, struct buf *text)
{
	char one[ADDRESS_TEXT];

	for (size_t i = 0; i < known->count; i++) {
		address_format(&known->item[i], one);
		buf_printf(text, "%s%s", i ? " " : "", one);
	}
}

#define NAMELESS "the pool manager has no address of the host"

#define IS_NEWEST "(VALUES(settings_at) > settings_at OR settings_at > NOW(3) + " \
                  "INTERVAL 1 HOUR)"

/*
 * While this process cannot resolve the host, the server keeps its old addresses. If the
 * row has a host, another process can resolve it, and last_error is unchanged. During a
 * rolling restart, the digest of the newest settings stays. A time far in the future
 * comes from a wrong clock.
 */
static void store_register_one(struct tx *tx, const char *pool,
                               const struct server *server, const char *settings_at)
{
	struct buf addresses = { 0 };

	store_list_addresses(&server->known, &addresses);
	tx_exec(tx,
	    "INSERT INTO pool_servers "
	    "(pool_name, id, backend, host, port, tsig_key, addresses, last_error, "
	    "settings_digest, settings_at) "
	    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE "
	    "backend = VALUES(backend), port = VALUES(port), "
	    "host = IF(VALUES(host) = '', host, VALUES(host)), "
	    "addresses = IF(VALUES(host) = '', addresses, VALUES(addresses)), "
	    "tsig_key = VALUES(tsig_key), "
	    "last_error = IF(host = '', VALUES(last_error), "
	    "IF(last_error = '" NAMELESS "', '', last_error)), "
	    "settings_digest = IF(" IS_NEWEST ", VALUES(settings_digest), "
	    "settings_digest), "
	    "settings_at = IF(" IS_NEWEST ", VALUES(settings_at), settings_at), "
	    "updated_at = NOW(3)",
	    TX_BIND(tx_text(pool), tx_text(server->settings->id),
	            tx_text(server->driver->name), tx_text(server->address),
	            tx_int(server->settings->port), tx_text(server->settings->tsig_key),
	            tx_text(buf_string(&addresses)),
	            tx_text(server_is_known(server) ? "" : NAMELESS),
	            tx_text(server->settings_digest), tx_text(settings_at)));
	buf_clear(&addresses);
}

void store_register(struct tx *tx, const char *pool, const struct servers *servers)
{
	for (size_t i = 0; i < servers->count; i++)
		store_register_one(tx, pool, &servers->item[i], servers->settings_at);
}

/*
 * A separate SELECT: a writing statement would lock rows of central, and wait. False: the
 * next round deletes more.
 */
static bool store_forget_server(struct tx *tx, const char *pool, const char *id)
{
	struct arena *arena = arena_new();
	struct tx_value values[TX_LIST_MAX + 2] = { tx_text(id) };
	const char *domains[TX_LIST_MAX];
	size_t places, count = store_read_ids(tx, arena,
	    "SELECT DISTINCT d.id FROM pool_manager_status s "
	    "JOIN domains d ON d.id = s.domain_id JOIN pools p ON p.id = d.pool_id "
	    "WHERE s.server_id = ? AND p.name = ? LIMIT ?",
	    TX_BIND(tx_text(id), tx_text(pool), tx_int(TX_LIST_MAX)), domains,
	    TX_LIST_MAX);

	if (count) {
		const char *sql = tx_list(arena,
		    "DELETE s FROM pool_manager_status s FORCE INDEX (status_of) "
		    "WHERE s.server_id = ? AND s.domain_id IN (",
		    ")", count, &places);

		tx_list_fill(values + 1, domains, count, places);
		values[1 + places].type = TX_END;
		tx_exec(tx, sql, values);
	}
	arena_free(&arena);
	return count == 0;
}

void store_forget_removed(struct tx *tx, const char *pool, int unheard_s)
{
	struct arena *arena = arena_new();
	const char *ids[SERVERS_MAX];
	size_t count = store_read_ids(tx, arena,
	    "SELECT id FROM pool_servers WHERE pool_name = ? "
	    "AND updated_at < NOW(3) - INTERVAL ? SECOND",
	    TX_BIND(tx_text(pool), tx_int(unheard_s)), ids, SERVERS_MAX);

	for (size_t i = 0; i < count && !tx->err; i++) {
		if (!store_forget_server(tx, pool, ids[i]))
			continue;
		log_info("server removed: pool=%s server=%s", pool, ids[i]);
		tx_exec(tx, "DELETE FROM pool_servers WHERE pool_name = ? AND id = ?",
		        TX_BIND(tx_text(pool), tx_text(ids[i])));
	}
	arena_free(&arena);
}

void store_forget_out(struct tx *tx, const char *pool)
{
	struct arena *arena = arena_new();
	const char *ids[SERVERS_MAX];
	size_t count = store_read_ids(tx, arena,
	    "SELECT id FROM pool_servers WHERE pool_name = ? AND state = 'REMOVED'",
	    TX_BIND(tx_text(pool)), ids, SERVERS_MAX);

	for (size_t i = 0; i < count; i++)
		store_forget_server(tx, pool, ids[i]);
	arena_free(&arena);
}

/* The settings may have the name in capitals, or without the final dot. */
bool store_has_key(struct tx *tx, const char *name)
{
	struct tx_rows rows;
	bool found = tx_select_row(tx, NULL, &rows,
	    "SELECT 1 FROM tsigkeys WHERE name = "
	    "CONCAT(TRIM(TRAILING '.' FROM LOWER(?)), '.')", TX_BIND(tx_text(name)));

	tx_select_end(&rows);
	return found;
}

bool store_lacks_pool(struct tx *tx, const char *name)
{
	struct tx_rows rows;
	bool lacks = tx_select_row(tx, NULL, &rows,
	    "SELECT 1 FROM pools HAVING COUNT(*) > 0 AND SUM(name = ?) = 0",
	    TX_BIND(tx_text(name)));

	tx_select_end(&rows);
	return lacks;
}
