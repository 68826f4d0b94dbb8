/*
 * usage -- how the calls of a transaction change the numbers of domains of their tenants.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct usage_change {
	const char *tenant;		/* NULL: no change */
	/* 1: the tenant gets a domain; -1: the tenant loses a domain */
	int64_t domains;
	int64_t max;			/* the quota of the caller; -1: no limit */
};

enum { USAGE_CHANGES_MAX = 2 };	/* a call changes the numbers of two tenants */

/*
 * Merges the changes of each tenant into one: the sum of `domains`, and the lowest limit.
 * Drops changes without a tenant, and tenants whose number stays the same. The result is
 * in the order of the tenants' octets, which is the order of the table's key. So all
 * transactions lock the rows of several tenants in the same order. Returns the number of
 * changes.
 */
size_t usage_merge(struct usage_change *changes, size_t count);
