#include "store_usage.h"

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
