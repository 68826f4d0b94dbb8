/*
 * store_usage -- the SQL statements of usage.h and of the sweep, for the table
 * tenant_usage. A transaction that changes a number keeps the row of the tenant locked
 * until its end. So it locks the domains first, and makes this change with its last
 * statement. A transaction without a row for the tenant creates the row.
 */
#pragma once

#include "core/usage.h"
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
/* Returns the number of domains of TENANT. */
int64_t store_usage_get(struct tx *tx, const char *tenant);
