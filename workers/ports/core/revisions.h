/*
 * revisions -- compares zonefleet's list of objects with Neutron's list, by id and
 * revision. All objects are of the same kind.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

struct revision {
	char id[ID_LEN + 1];
	/* revision of the object in Neutron; 0: unknown */
	uint64_t revision;
	/* only in zonefleet's list: the object is deleted and must stay deleted */
	bool is_gone;
	/* only in Neutron's list: the comparison ignores the revision */
	bool is_partial;
};

void revisions_sort(struct revision *revisions, size_t count);
/* REVISIONS must be sorted. */
bool revisions_have(const struct revision *revisions, size_t count, const char *id);
/*
 * Writes the objects that differ to DIFFERING, which must have room for both lists, and
 * returns their number. An object differs if only one list contains it, or if zonefleet's
 * revision is older. A deleted object in zonefleet's list does not differ if Neutron's
 * list does not contain the object. An older revision in Neutron's list is not a
 * difference, because Neutron's answer takes time to arrive. Both lists must be sorted.
 */
size_t revisions_diff(const struct revision *ours, size_t our_count,
                      const struct revision *theirs, size_t their_count,
                      struct revision *differing);
