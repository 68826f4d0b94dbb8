/*
 * rrsets -- the record sets that a change touches, found by owner and type.
 * A hash table over the arena: it dies with the request.
 */
#pragma once

#include "base/arena.h"
#include "core/changes.h"

struct rrsets {
	struct arena *arena;
	struct rrset **items;		/* in the order they came */
	size_t count, size;
	struct rrset **slots;		/* open addressing, 2^n, at most half full */
	size_t slot_count;
};

void rrsets_init(struct rrsets *sets, struct arena *arena);
/* The set of that name and type; a new one when there is none. OWNER is borrowed. */
struct rrset *rrsets_get(struct rrsets *sets, const struct name *name, const char *owner,
                         uint16_t type);
/* By owner, then type, so that all sets of a name stand together. */
void rrsets_sort(struct rrsets *sets);
