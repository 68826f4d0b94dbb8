/*
 * rrsets -- the record sets of a change, by owner and type: a hash table in the arena of
 * the request.
 */
#pragma once

#include "base/arena.h"
#include "core/changes.h"

struct rrsets {
	struct arena *arena;
	struct rrset **items;		/* in the order of insertion */
	size_t count, size;
	struct rrset **slots;		/* open addressing, 2^n, at most half full */
	size_t slot_count;
};

void rrsets_init(struct rrsets *sets, struct arena *arena);
/* Returns the record set of this name and type, or a new record set. Borrows OWNER. */
struct rrset *rrsets_get(struct rrsets *sets, const struct name *name, const char *owner,
                         uint16_t type);
/* Sorts by owner, then by type. */
void rrsets_sort(struct rrsets *sets);
