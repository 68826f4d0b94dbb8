/*
 * revisions -- what two have of the same objects, by their ids and revisions: which of
 * them is worth a second look? Nothing here knows what the objects are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

struct revision {
	char id[ID_LEN + 1];
	uint64_t revision;		/* 0: none is known, so it may be any */
	bool is_gone;			/* of ours: it was there, and stays gone */
	bool is_partial;			/* of theirs: it is there, whatever its revision */
};

void revisions_sort(struct revision *revisions, size_t count);
/* Of those that are sorted: is one of ID among them? */
bool revisions_have(const struct revision *revisions, size_t count, const char *id);
/*
 * Both sorted. Into DIFFERING, which has room for all of both, those of theirs that we do
 * not have or have of an older revision, and those of ours that they do not have. Theirs
 * may be older than ours: what was read takes its time to come. Returns their number.
 */
size_t revisions_diff(const struct revision *ours, size_t our_count,
                      const struct revision *theirs, size_t their_count,
                      struct revision *differing);
