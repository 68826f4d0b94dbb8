/*
 * store_usage -- the SQL statements of usage.h and of the sweep, for the table
 * tenant_usage. A transaction that changes a number keeps the row of the tenant locked
 * until its end. So it locks the domains first, and makes this change with its last
 * statement. A transaction without a row for the tenant creates the row.
 */
#pragma once

#include "core/usage.h"
#include "model/identity.h"
#include "store.h"

/* Adds change->domains to the number of the tenant. Returns the new number. */
int64_t store_usage_add(struct tx *tx, const struct usage_change *change,
                        enum store_wait wait);
/*
 * Adds the changes (with a negative number each) to the numbers of their tenants, with
 * one statement. CHANGES: the result of usage_merge().
 */
void store_usage_subtract(struct tx *tx, const struct usage_change *changes, size_t count,
                          enum store_wait wait);
/* Returns the number of domains of TENANT, as far as transactions have counted them. */
int64_t store_usage_get(struct tx *tx, const char *tenant);

enum { USAGE_TENANTS = 200 };
/*
 * Compares the numbers of the next USAGE_TENANTS tenants after CURSOR with their domains
 * (if CURSOR is "", from the first tenant). One statement reads both, so transactions
 * that are not committed make no difference. TENANTS: the tenants whose number is wrong,
 * or whose row is no longer necessary, because they have no domains. Returns their
 * number. Moves CURSOR to the last compared tenant. After the last tenant in the
 * database, CURSOR is "" again.
 */
size_t store_usage_compare(struct tx *tx, char cursor[IDENTITY_MAX + 1],
                           struct arena *arena, const char *tenants[USAGE_TENANTS]);
/*
 * Locks the row of TENANT and counts the domains. Transactions that change the number
 * wait meanwhile, so the result is exact. Writes the number, or deletes the row if there
 * are no domains. WAS, IS: the number before and after.
 */
void store_usage_recount(struct tx *tx, const char *tenant, int64_t *was, int64_t *is);
