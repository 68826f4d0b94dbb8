/*
 * usage -- how the calls of a transaction change the numbers of domains of their tenants.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct usage_change {
	const char *tenant;		/* NULL: no change */
	int64_t domains;		/* 1: a new domain; -1: a deleted domain */
	int64_t max;			/* the quota of the caller; -1: no limit */
};

enum { USAGE_CHANGES = 2 };		/* of one call */

/*
 * Merges the changes of each tenant into one: the sum of `domains`, and the lowest limit.
 * Drops changes without a tenant, and tenants whose number stays the same. The result is
 * in the order of the tenants' octets, which is the order of the table's key. So all
 * transactions lock the rows of several tenants in the same order. Returns the number of
 * changes.
 */
size_t usage_merge(struct usage_change *changes, size_t count);
