/*
 * revisions -- compares two lists of the same kind of objects, ours and Neutron's, by id
 * and revision.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

struct revision {
	char id[ID_LEN + 1];
	uint64_t revision;		/* 0: unknown */
	bool is_gone;			/* in our list: deleted, and must stay deleted */
	/* in Neutron's list: its revision does not count */
	bool is_partial;
};

void revisions_sort(struct revision *revisions, size_t count);
/* REVISIONS must be sorted. */
bool revisions_have(const struct revision *revisions, size_t count, const char *id);
/*
 * Both lists must be sorted. Fills DIFFERING, which has room for both lists: objects of
 * Neutron that we lack or have with an older revision, and our objects that Neutron
 * lacks. An older revision in Neutron's list is not a difference, because its answer
 * takes time to arrive. Returns the number.
 */
size_t revisions_diff(const struct revision *ours, size_t our_count,
                      const struct revision *theirs, size_t their_count,
                      struct revision *differing);
