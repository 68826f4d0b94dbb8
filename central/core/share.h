/*
 * share -- decides what a tenant may change in a domain of another tenant that the other
 * tenant shares with it. The tenant may create record sets at the names of the shares and
 * below these names, and may change and delete the record sets that it created. All other
 * record sets and the values of the domain belong to the tenant of the domain.
 *
 * The tenant must not change records at the apex, and must not create NS, DS and DNAME
 * records, which hide all names below. It also must not create record sets for which a
 * kind of name server refuses the whole zone. It may create record sets of other types
 * beside the record sets of other tenants.
 */
#pragma once

#include "core/limits.h"
#include "core/rrsets.h"
#include "core/zone.h"

/* The rights of a tenant in one domain, from its shares. */
struct share_rights {
	const char *tenant;
	const struct name *names;	/* of the shares */
	size_t count;
};

/* True: NAME is the name of a share, or is below the name of a share. */
bool share_covers(const struct share_rights *rights, const struct name *name);
/*
 * Checks the names and types of changes. ERR_DENIED: a share does not cover a name, a
 * change is at the apex of ZONE, or adds NS, DS or DNAME records.
 */
enum err share_check_changes(const struct share_rights *rights, const struct zone *zone,
                             const struct change *changes, size_t count,
                             struct why *why);
/*
 * Checks who created the changed record sets. ERR_DENIED: a changed record set has
 * records and belongs to another tenant.
 */
enum err share_check_sets(const struct share_rights *rights, const struct rrsets *sets,
                          struct why *why);
/*
 * FOUND: limits_find() for the result of the changes. ERR_DENIED: a record set would gain
 * records, and a kind of name server would refuse the whole zone.
 */
enum err share_check_limits(const struct limits_found *found, struct why *why);
/*
 * Sets the tenant of each record set. A record set without live records gets the
 * tenant of the caller; RIGHTS NULL: the tenant of the domain. All other record sets keep
 * their tenant.
 */
void share_assign(const struct share_rights *rights, const struct rrsets *sets);
