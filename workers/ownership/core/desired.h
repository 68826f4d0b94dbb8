/*
 * desired -- the record sets that a name should have: the endpoints that win.
 *
 * Endpoints of one resource and type make one set, whatever their set ids. If several
 * resources want the same set, the resource that has it in the zone keeps it. Otherwise
 * the order decides: resources of RPC callers, routers, routes, ports; then the set with
 * fewer records; then the octets of the records (external-dns' "PerResource"). A CNAME
 * cannot be beside other sets. It loses to them unless the zone already has it for its
 * resource. The plan excludes a set that the zone cannot have, and this set displaces no
 * other set.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rrset.h"
#include "core/view.h"

/* One record set of a name. */
struct desired {
	struct desired *next;
	struct rrset rrset;
	bool has_ttl;			/* false: any TTL is correct */
	bool is_shared;			/* the owner shares the set with other owners */
	bool has_lost;
	bool is_excluded;		/* the caller of desired_resolve() sets it */
	const char *resource;
};

/* Merges the COUNT endpoints of a name into record sets. Sorts the endpoints. */
struct desired *desired_merge(struct desired *endpoints, size_t count,
                              struct arena *arena);
/* Why a zone cannot have the set; NULL: it can. */
const char *desired_fault(const struct desired *desired, const struct view *view);
/*
 * Chooses one winner of each type among the sets that are not excluded. A CNAME wins only
 * alone.
 */
void desired_resolve(struct desired *list, const struct node *node);
/* The winner of TYPE, or an excluded set, or NULL. */
const struct desired *desired_of(const struct desired *list, uint16_t type);
