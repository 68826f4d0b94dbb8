#include "store_usage.h"

#include <stdio.h>

#define WHAT "the number of domains of the tenant"

/* TX_BLIND, and STORE_WAITS where the server has both settings. */
#define USAGE_WAITS(tx, wait, sql) \
	((wait) == STORE_WAIT_LONG || !tx_has_short_limit(tx) ? TX_BLIND sql : \
	 !tx_isolates_snapshots(tx) ? STORE_WAITS(tx, wait, sql) : \
	 (wait) == STORE_WAIT_SHORT ? TX_BLIND_SHORT_LIMIT sql \
	                            : TX_BLIND_NO_LOCK_WAIT sql)

int64_t store_usage_add(struct tx *tx, const struct usage_change *change,
                        enum store_wait wait)
{
	tx_exec(tx, USAGE_WAITS(tx, wait,
	            "INSERT INTO tenant_usage (tenant, domains) "
	            "VALUES (?, LAST_INSERT_ID(?)) ON DUPLICATE KEY UPDATE "
	            "domains = LAST_INSERT_ID(domains + VALUES(domains))"),
	        TX_BIND(tx_text(change->tenant), tx_int(change->domains)));
	store_check_wait(tx, wait, WHAT);
	return (int64_t)tx_last_id(tx);
}

/* LAST_INSERT_ID() takes no negative number. */
void store_usage_subtract(struct tx *tx, const struct usage_change *changes, size_t count,
                          enum store_wait wait)
{
	struct arena *arena = arena_new();
	struct tx_value *values = arena_alloc(arena, (2 * count + 1) * sizeof(*values));

	for (size_t i = 0; i < count; i++) {
		values[2 * i] = tx_text(changes[i].tenant);
		values[2 * i + 1] = tx_int(changes[i].domains);
	}
	tx_exec_rows(tx, USAGE_WAITS(tx, wait,
	                 "INSERT INTO tenant_usage (tenant, domains) VALUES "),
	             "(?,?)",
	             " ON DUPLICATE KEY UPDATE domains = domains + VALUES(domains)",
	             values, 2, count);
	store_check_wait(tx, wait, WHAT);
	arena_free(&arena);
}

int64_t store_usage_get(struct tx *tx, const char *tenant)
{
	return tx_select_number(tx, "SELECT domains FROM tenant_usage WHERE tenant = ?",
	                        TX_BIND(tx_text(tenant)));
}

#define LIVE_DOMAINS(tenant) \
	"(SELECT COUNT(*) FROM domains d WHERE d.tenant = " tenant " AND d.live = 1)"

/* A tenant can have only a row, or only domains. IS_AFTER: > or >=. */
#define COMPARE(is_after) \
	"SELECT t.tenant, COALESCE(u.domains, 0), " LIVE_DOMAINS("t.tenant") " FROM " \
	"((SELECT tenant FROM tenant_usage WHERE tenant " is_after " ? " \
	"ORDER BY tenant LIMIT ?) UNION (SELECT DISTINCT tenant FROM domains " \
	"WHERE tenant " is_after " ? AND live = 1 ORDER BY tenant LIMIT ?)) t " \
	"LEFT JOIN tenant_usage u ON u.tenant = t.tenant ORDER BY t.tenant LIMIT ?"

/* The tenant '' has the catalog zones. */
size_t store_usage_compare(struct tx *tx, char cursor[IDENTITY_MAX + 1],
                           struct arena *arena, const char *tenants[USAGE_TENANTS])
{
	struct tx_rows rows;
	const char *last = "";
	size_t found = 0, count = 0;

	tx_select(tx, arena, &rows, *cursor ? COMPARE(">") : COMPARE(">="),
	          TX_BIND(tx_text(cursor), tx_int(USAGE_TENANTS), tx_text(cursor),
	                  tx_int(USAGE_TENANTS), tx_int(USAGE_TENANTS)));
	for (; tx_next(&rows); count++) {
		int64_t stored, live;

		last = row_text(&rows);
		stored = row_int(&rows);
		live = row_int(&rows);
		if (stored != live || !live)
			tenants[found++] = last;
	}
	if (!tx->err)
		snprintf(cursor, IDENTITY_MAX + 1, "%s",
		         count == USAGE_TENANTS ? last : "");
	return found;
}

void store_usage_recount(struct tx *tx, const char *tenant, int64_t *was, int64_t *is)
{
	/* creates the row if it is missing, because only an existing row can be locked */
	tx_exec(tx, TX_BLIND "INSERT INTO tenant_usage (tenant, domains) VALUES (?, 0) "
	        "ON DUPLICATE KEY UPDATE domains = domains", TX_BIND(tx_text(tenant)));
	*was = tx_select_number(tx, "SELECT domains FROM tenant_usage WHERE tenant = ? "
	                        "FOR UPDATE", TX_BIND(tx_text(tenant)));
	*is = tx_select_number(tx, "SELECT " LIVE_DOMAINS("?"),
	                       TX_BIND(tx_text(tenant)));
	if (*is)
		tx_exec(tx, "UPDATE tenant_usage SET domains = ? WHERE tenant = ?",
		        TX_BIND(tx_int(*is), tx_text(tenant)));
	else
		tx_exec(tx, "DELETE FROM tenant_usage WHERE tenant = ?",
		        TX_BIND(tx_text(tenant)));
}
