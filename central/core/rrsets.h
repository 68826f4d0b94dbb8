/*
 * rrsets -- a hash table of the record sets of a change, in the arena of the request.
 * Key: the owner and the type.
 */
#pragma once

#include "base/arena.h"
#include "core/changes.h"

struct rrsets {
	struct arena *arena;
	/* in the order of insertion, or in the order of rrsets_sort() */
	struct rrset **items;
	size_t count, size;
	/*
	 * open addressing; the number of slots is a power of two, and at most half of the
	 * slots are full
	 */
	struct rrset **slots;
	size_t slot_count;
};

void rrsets_init(struct rrsets *sets, struct arena *arena);
/*
 * Returns the record set with this name and type. If the table does not contain it, adds
 * a new record set. Borrows OWNER.
 */
struct rrset *rrsets_get(struct rrsets *sets, const struct name *name, const char *owner,
                         uint16_t type);
/* Sorts the record sets (`items`) by owner, then by type. */
void rrsets_sort(struct rrsets *sets);
