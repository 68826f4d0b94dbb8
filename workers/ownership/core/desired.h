/*
 * desired -- chooses the record sets that a name should have, from its endpoints.
 *
 * All endpoints of one resource and type form one record set, even if their set ids
 * differ. If several resources request the same record set, the resource whose record
 * set is in the zone wins. Otherwise this order decides: resources of RPC callers,
 * routers, routes, ports. Within one of these groups, the record set with fewer records
 * wins. If the numbers of records are equal, the record set that sorts first by the
 * octets of its records wins ("PerResource" of external-dns). A name cannot have both a
 * CNAME and other record sets. If the endpoints of a name request both, the CNAME wins
 * only if this CNAME is already in the zone. Otherwise the other record sets win. This
 * module never chooses a record set that the caller has excluded, for example because a
 * zone cannot contain the record set.
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
	bool has_ttl;			/* false: every TTL of the set is correct */
	/* the resource allows other owners to have records in the set */
	bool is_shared;
	bool has_lost;
	/* The set cannot win. The caller of desired_resolve() sets this member. */
	bool is_excluded;
	const char *resource;
};

/* Merges the COUNT endpoints of a name into record sets. Sorts the endpoints. */
struct desired *desired_merge(struct desired *endpoints, size_t count,
                              struct arena *arena);
/*
 * Returns the reason why a zone cannot contain the set. NULL: a zone can contain the set.
 */
const char *desired_fault(const struct desired *desired, const struct view *view);
/*
 * Chooses the winner of each type among the sets that are not excluded. If a CNAME wins,
 * no other set wins.
 */
void desired_resolve(struct desired *list, const struct node *node);
/*
 * Returns the winner of TYPE. If there is no winner, returns an excluded set of TYPE or
 * NULL.
 */
const struct desired *desired_of(const struct desired *list, uint16_t type);
