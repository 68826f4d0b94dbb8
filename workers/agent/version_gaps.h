/*
 * version_gaps -- remembers the versions of an object that have arrived in messages: all
 * versions up to a certain version, and some of the next versions. Messages may arrive
 * in any order. If a gap remains, a message has been lost. This module does no I/O.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { VERSION_GAPS_AHEAD = 64 };

struct version_gaps {			/* zeroed: no version */
	uint64_t all;			/* all versions up to ALL have arrived */
	uint64_t ahead;			/* bit i: version all + 2 + i has arrived */
};

/*
 * Call it when the agent has read the object at VERSION. Later versions that have already
 * arrived still count. If VERSION differs by more than VERSION_GAPS_AHEAD from gaps->all,
 * this function forgets all other versions.
 */
void version_gaps_read(struct version_gaps *gaps, uint64_t version);
/*
 * Call it when a message with VERSION has arrived. If VERSION is too far ahead of
 * gaps->all, this function ignores VERSION, and the gap remains.
 */
void version_gaps_received(struct version_gaps *gaps, uint64_t version);
/* True: no version up to VERSION is missing. */
bool version_gaps_none_up_to(const struct version_gaps *gaps, uint64_t version);
