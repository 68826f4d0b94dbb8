/*
 * usage -- counts the domains of each tenant, in the transaction that creates, deletes or
 * transfers a domain. The row of the tenant has the number. So of several calls at the
 * same time, only as many succeed as the quota allows.
 *
 * Many calls of a tenant change the same row. So call these functions immediately before
 * the commit, after all other statements of the transaction. Then other transactions wait
 * only for a commit. And all transactions lock first the domains and then the tenants, so
 * that no two of them wait for each other.
 */
#pragma once

#include "write.h"

/*
 * Adds the changes of write->usage of all calls. ERR_QUOTA in the transaction: a tenant
 * would have more domains than its quota allows. ERR_LOCKED: another transaction has
 * locked the row of a tenant for longer than a commit takes.
 */
void usage_write(struct tx *tx, const struct write *writes, size_t count);
/* Subtracts deleted domains (usage_change.domains is -1). Changes the array. */
void usage_subtract(struct central *central, struct tx *tx, struct usage_change *changes,
                    size_t count);
/* Fails with ERR_QUOTA: the tenant has DOMAINS domains, and the quota is MAX. */
enum err usage_fail(struct tx *tx, int64_t domains, int64_t max);
