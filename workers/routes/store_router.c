#include <stdio.h>
#include <string.h>

#include "store.h"
#include "store_cname_ready.h"

static const char *const state_names[] = { "active", "draining", "going" };
static const char *const status_names[] = { "PENDING", "ACTIVE", "ERROR" };

const char *router_state_name(enum router_state state)
{
	return state_names[state];
}

const char *zone_status_name(enum zone_status status)
{
	return status_names[status];
}

static int store_name_index(const char *const *names, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return i;
	return 0;
}

/* ---- read ---- */

#define FIELDS  "SELECT name, description, dns, label, capacity, ttl, state, zone, " \
                "bound, rev, done_rev, serial, failures, zone_status, reason, " \
                "COALESCE(made_id, ''), COALESCE(domain_id, '')"
#define COLUMNS FIELDS " FROM routers "

static void router_row_read(struct tx_rows *rows, struct router_row *router)
{
	*router = (struct router_row){ .name = row_text(rows) };
	router->description = row_text(rows);
	router->dns = row_text(rows);
	router->label = row_text(rows);
	router->has_capacity = !row_is_null(rows);
	router->capacity = row_u32(rows);
	router->ttl = row_u32(rows);
	router->state = (enum router_state)store_name_index(state_names, ROUTER_STATES,
	                                                    row_text(rows));
	router->zone = row_text(rows);
	router->bound = row_u32(rows);
	router->rev = (uint64_t)row_int(rows);
	router->done_rev = (uint64_t)row_int(rows);
	router->has_serial = !row_is_null(rows);
	router->serial = row_u32(rows);
	router->failures = row_u32(rows);
	router->zone_status = (enum zone_status)store_name_index(status_names,
	                                                         ZONE_STATUSES,
	                                                         row_text(rows));
	router->reason = row_text(rows);
	snprintf(router->made_id, sizeof(router->made_id), "%s", row_text(rows));
	snprintf(router->domain_id, sizeof(router->domain_id), "%s", row_text(rows));
}

static void router_address_read(struct tx_rows *rows, struct router_address *into)
{
	size_t len;
	const uint8_t *octets = row_bytes(rows, &len);

	*into = (struct router_address){ .address.bits = len == 4 ? 32 : 128 };
	memcpy(into->address.octets, octets, len <= 16 ? len : 16);
	into->is_up = row_int(rows);
	into->is_seen = !row_is_null(rows);
	into->unseen_ms = row_int(rows) / 1000;
	into->is_shown = row_int(rows);
	into->has_version = !row_is_null(rows);
	into->version = (uint64_t)row_int(rows);
}

enum { ADDRESSES_READ = 1000 };

static void router_row_read_addresses(struct tx *tx, struct arena *arena,
                                      struct router_row *router)
{
	struct router_address all[ADDRESSES_READ];
	struct tx_rows rows;

	tx_select(tx, NULL, &rows,
	          "SELECT address, is_up, TIMESTAMPDIFF(MICROSECOND, seen_at, NOW(3)), "
	          "is_shown, serves FROM router_addresses WHERE router = ? "
	          "ORDER BY LENGTH(address), address LIMIT ?",
	          TX_BIND(tx_text(router->name), tx_int(ADDRESSES_READ)));
	while (tx_next(&rows))
		router_address_read(&rows, &all[router->count++]);
	router->addresses = arena_dup(arena, all, router->count * sizeof(*all));
}

bool store_router_read(struct tx *tx, struct arena *arena, const char *name,
                       enum router_lock lock, struct router_row *router)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows, lock == ROUTER_LOCK
	                   ? COLUMNS "WHERE name = ? FOR UPDATE"
	                   : COLUMNS "WHERE name = ?", TX_BIND(tx_text(name))))
		return false;
	router_row_read(&rows, router);
	tx_select_end(&rows);
	router_row_read_addresses(tx, arena, router);
	return !tx->err;
}

struct router_list {
	struct arena *arena;
	struct router_row *all;
	size_t count, size;
};

static void router_list_add(struct router_list *list, const struct router_row *router)
{
	if (list->count == list->size) {
		const struct router_row *old = list->all;

		list->size = 2 * list->size + 16;
		list->all = arena_alloc(list->arena, list->size * sizeof(*old));
		if (old)
			memcpy(list->all, old, list->count * sizeof(*old));
	}
	list->all[list->count++] = *router;
}

void store_routers(struct tx *tx, struct arena *arena, const char *marker, int limit,
                   router_fn *each, void *self)
{
	struct router_list list = { .arena = arena };
	struct tx_rows rows;

	tx_select(tx, arena, &rows, COLUMNS "WHERE name > ? ORDER BY name LIMIT ?",
	          TX_BIND(tx_text(marker), tx_int(limit)));
	while (tx_next(&rows)) {
		struct router_row router;

		router_row_read(&rows, &router);
		router_list_add(&list, &router);
	}
	for (size_t i = 0; i < list.count && !tx->err; i++) {
		router_row_read_addresses(tx, arena, &list.all[i]);
		each(self, &list.all[i]);
	}
}

const char *store_router_find_host(struct tx *tx, struct arena *arena, const char *host)
{
	return tx_select_text(tx, arena,
	    "SELECT name FROM routers WHERE dns = ? OR ? LIKE CONCAT('%.', dns) "
	    "ORDER BY LENGTH(dns) DESC LIMIT 1", TX_BIND(tx_text(host), tx_text(host)));
}

const char *store_router_find_below(struct tx *tx, struct arena *arena,
                                    const char *domain)
{
	return tx_select_text(tx, arena,
	    "SELECT name FROM routers WHERE dns LIKE CONCAT('%.', ?) LIMIT 1",
	    TX_BIND(tx_text(domain)));
}

/* ---- write ---- */

static struct tx_value router_row_capacity(const struct router_row *router)
{
	return router->has_capacity ? tx_u32(router->capacity) : tx_null();
}

void store_router_insert(struct tx *tx, const struct router_row *router)
{
	tx_exec(tx,
	    "INSERT INTO routers (name, description, dns, label, capacity, ttl, state, "
	    "zone, due_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, NOW(3), NOW(3))",
	    TX_BIND(tx_text(router->name), tx_text(router->description),
	            tx_text(router->dns), tx_text(router->label),
	            router_row_capacity(router),
	            tx_u32(router->ttl), tx_text(state_names[router->state]),
	            tx_text(router->zone)));
}

void store_router_update(struct tx *tx, const struct router_row *router)
{
	tx_exec(tx,
	    "UPDATE routers SET description = ?, label = ?, capacity = ?, ttl = ?, "
	    "state = ?, rev = rev + 1, due_at = NOW(3), zone_status = 'PENDING' "
	    "WHERE name = ?",
	    TX_BIND(tx_text(router->description), tx_text(router->label),
	            router_row_capacity(router), tx_u32(router->ttl),
	            tx_text(state_names[router->state]), tx_text(router->name)));
}

bool store_router_try_lock(struct tx *tx, const char *name)
{
	return tx_select_number(tx, TX_SKIPS_LOCKED
	    "SELECT 1 FROM routers WHERE name = ? FOR UPDATE SKIP LOCKED",
	    TX_BIND(tx_text(name)));
}

void store_router_touch(struct tx *tx, const char *name)
{
	tx_exec(tx,
	    "UPDATE routers SET rev = rev + 1, due_at = NOW(3), zone_status = 'PENDING' "
	    "WHERE name = ?", TX_BIND(tx_text(name)));
}

void store_router_add_bound(struct tx *tx, const char *name, int by)
{
	tx_exec(tx, "UPDATE routers SET bound = CAST(bound AS SIGNED) + ? WHERE name = ?",
	        TX_BIND(tx_int(by), tx_text(name)));
}

void store_router_delete(struct tx *tx, const char *name)
{
	tx_exec(tx, "DELETE FROM routers WHERE name = ?", TX_BIND(tx_text(name)));
}

/* ---- addresses ---- */

/* First marks all addresses with an impossible state; deletes those still marked last. */
void store_addresses_replace(struct tx *tx, const struct router_row *router)
{
	struct arena *arena = arena_new();
	struct tx_value *values = arena_alloc(arena, (3 * router->count + 1) *
	                                             sizeof(*values));

	for (size_t i = 0; i < router->count; i++) {
		const struct router_address *at = &router->addresses[i];

		values[3 * i] = tx_text(router->name);
		values[3 * i + 1] = tx_bytes(at->address.octets, at->address.bits / 8);
		values[3 * i + 2] = tx_int(at->is_up);
	}
	tx_exec(tx, "UPDATE router_addresses SET is_up = 2 WHERE router = ?",
	        TX_BIND(tx_text(router->name)));
	if (router->count)
		tx_exec_rows(tx, "INSERT INTO router_addresses (router, address, is_up) "
		             "VALUES ", "(?,?,?)",
		             " ON DUPLICATE KEY UPDATE is_up = VALUES(is_up)", values, 3,
		             router->count);
	tx_exec(tx, "DELETE FROM router_addresses WHERE router = ? AND is_up = 2",
	        TX_BIND(tx_text(router->name)));
	arena_free(&arena);
}

#define LIVES "(a.is_up AND (a.seen_at IS NULL OR " \
              "a.seen_at > NOW(3) - INTERVAL ? * 1000 MICROSECOND OR " \
              "(a.is_shown AND NOT ?)))"
#define RULE_BIND(rule) tx_int((rule)->timeout_ms), tx_int((rule)->is_receiving)

bool store_addresses_any_usable(struct tx *tx, const char *router,
                                const struct alive_rule *rule)
{
	return tx_select_number(tx,
	    "SELECT 1 FROM router_addresses a WHERE a.router = ? "
	    "AND (a.is_shown OR " LIVES ") LIMIT 1",
	    TX_BIND(tx_text(router), RULE_BIND(rule)));
}

/* Locks the router first, so that no other process publishes its domain meanwhile. */
static void router_update_shown(struct tx *tx, const char *name,
                                const struct alive_rule *rule)
{
	int64_t live;

	store_router_touch(tx, name);
	live = tx_select_number(tx,
	    "SELECT COALESCE(SUM(" LIVES "), 0) FROM router_addresses a "
	    "WHERE a.router = ?", TX_BIND(RULE_BIND(rule), tx_text(name)));
	if (live || !rule->keeps)
		tx_exec(tx,
		    "UPDATE router_addresses a SET a.is_shown = " LIVES
		    " WHERE a.router = ?", TX_BIND(RULE_BIND(rule), tx_text(name)));
}

int64_t store_addresses_update_shown(struct tx *tx, const char *name,
                                     const struct alive_rule *rule)
{
	struct arena *arena = arena_new();
	const char *names[64];
	int64_t count = 0;
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	    "SELECT a.router FROM router_addresses a WHERE (? IS NULL OR a.router = ?) "
	    "GROUP BY a.router "
	    "HAVING SUM(a.is_shown <> " LIVES ") > 0 AND (NOT ? OR SUM(" LIVES ") > 0) "
	    "LIMIT 64",
	    TX_BIND(tx_text(name), tx_text(name), RULE_BIND(rule), tx_int(rule->keeps),
	            RULE_BIND(rule)));
	while (tx_next(&rows))
		names[count++] = row_text(&rows);
	for (int64_t i = 0; i < count; i++)
		router_update_shown(tx, names[i], rule);
	arena_free(&arena);
	return count;
}

#define REPORT_SET "seen_at = NOW(3), serves = ?"
#define REPORT_BIND(report) \
	(report)->has_version ? tx_int((int64_t)(report)->version) : tx_null(), \
	tx_text((report)->router), \
	tx_bytes((report)->address.octets, (report)->address.bits / 8)

/*
 * Depends only on the row, so a process that does not receive reports may also write it.
 */
bool store_address_renew(struct tx *tx, const struct address_report *report,
                         int timeout_ms)
{
	return tx_exec(tx,
	    "UPDATE router_addresses SET " REPORT_SET " WHERE router = ? AND address = ? "
	    "AND (NOT is_up OR seen_at IS NULL "
	    "OR seen_at > NOW(3) - INTERVAL ? * 1000 MICROSECOND)",
	    TX_BIND(REPORT_BIND(report), tx_int(timeout_ms))) > 0;
}

bool store_address_revive(struct tx *tx, const struct address_report *report)
{
	return tx_exec(tx,
	    "UPDATE router_addresses SET " REPORT_SET " WHERE router = ? AND address = ?",
	    TX_BIND(REPORT_BIND(report))) > 0;
}

void store_routers_active(struct tx *tx, struct arena *arena,
                          const struct alive_rule *rule, router_fn *each, void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          FIELDS ", EXISTS (SELECT 1 FROM router_addresses a "
	          "WHERE a.router = routers.name AND " LIVES ") FROM routers "
	          "WHERE state = 'active' ORDER BY name", TX_BIND(RULE_BIND(rule)));
	while (tx_next(&rows)) {
		struct router_row router;

		router_row_read(&rows, &router);
		router.is_live = row_int(&rows);
		each(self, &router);
	}
}

/* ---- their domains ---- */

void store_domains_due(struct tx *tx, struct arena *arena, int limit,
                       void (*each)(void *self, const char *name), void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          "SELECT name FROM routers "
	          "WHERE due_at <= NOW(3) ORDER BY due_at LIMIT ?",
	          TX_BIND(tx_int(limit)));
	while (tx_next(&rows))
		each(self, row_text(&rows));
}

void store_domain_set_missing(struct tx *tx, const char *name, const char *made_id)
{
	tx_exec(tx, "UPDATE routers SET made_id = ?, done_rev = 0 WHERE name = ?",
	        TX_BIND(tx_text(made_id), tx_text(name)));
}

void store_domain_set_id(struct tx *tx, const char *name, const char *domain_id)
{
	tx_exec(tx, "UPDATE routers SET domain_id = ? WHERE name = ?",
	        TX_BIND(tx_text(domain_id), tx_text(name)));
}

void store_domain_set_adopted(struct tx *tx, const char *name)
{
	tx_exec(tx, "UPDATE routers SET made_id = NULL WHERE name = ?",
	        TX_BIND(tx_text(name)));
}

void store_domain_sent(struct tx *tx, const char *name, const struct domain_sent *sent,
                       int patience_s)
{
	struct tx_value rev = tx_int((int64_t)sent->rev);

	tx_exec(tx,
	    "UPDATE routers d SET done_rev = ?, serial = ?, "
	    "due_at = IF(rev = ?, " NEXT_DUE ", NOW(3)), "
	    "zone_status = 'PENDING' WHERE name = ?",
	    TX_BIND(rev, tx_u32(sent->serial), rev,
	            NEXT_DUE_BIND(sent->after_ms * 1000, patience_s), tx_text(name)));
}

void store_domain_set_active(struct tx *tx, const struct router_row *router, int after_ms,
                             int patience_s)
{
	store_former_names_published(tx, router);
	tx_exec(tx,
	    "UPDATE routers d SET zone_status = 'ACTIVE', reason = '', failures = 0, "
	    "due_at = " NEXT_DUE " WHERE name = ? AND rev = ?",
	    TX_BIND(NEXT_DUE_BIND(after_ms * INT64_C(1000), patience_s),
	            tx_text(router->name), tx_int((int64_t)router->rev)));
}

void store_domain_wait(struct tx *tx, const char *name, int64_t after_ms, int patience_s)
{
	tx_exec(tx,
	    "UPDATE routers d SET due_at = IF(rev = done_rev, " NEXT_DUE ", NOW(3)) "
	    "WHERE name = ?",
	    TX_BIND(NEXT_DUE_BIND(after_ms * 1000, patience_s), tx_text(name)));
}

void store_domain_failed(struct tx *tx, const struct router_row *router,
                         const char *reason, int64_t after_ms)
{
	tx_exec(tx,
	    "UPDATE routers SET zone_status = 'ERROR', reason = ?, "
	    "failures = failures + 1, "
	    "due_at = IF(rev = ?, NOW(3) + INTERVAL ? MICROSECOND, NOW(3)) "
	    "WHERE name = ?",
	    TX_BIND(tx_text(reason), tx_int((int64_t)router->rev),
	            tx_int(after_ms * 1000), tx_text(router->name)));
}
