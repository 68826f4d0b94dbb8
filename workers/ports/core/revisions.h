/*
 * revisions -- compares two lists of the same objects by id and revision.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

struct revision {
	char id[ID_LEN + 1];
	uint64_t revision;		/* 0: unknown */
	bool is_gone;			/* of ours: deleted, and stays deleted */
	bool is_partial;		/* of theirs: its revision does not count */
};

void revisions_sort(struct revision *revisions, size_t count);
/* REVISIONS are sorted. */
bool revisions_have(const struct revision *revisions, size_t count, const char *id);
/*
 * Both lists are sorted. Fills DIFFERING, which has room for both: theirs that we do not
 * have or have with an older revision, and ours that they do not have. An older revision
 * of theirs is no difference: their answer takes time to arrive. Returns the number.
 */
size_t revisions_diff(const struct revision *ours, size_t our_count,
                      const struct revision *theirs, size_t their_count,
                      struct revision *differing);
