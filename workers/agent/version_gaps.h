/*
 * version_gaps -- remembers which versions of an object have arrived in messages. It
 * stores the number up to which all versions have arrived, and the set of higher versions
 * that have arrived. Messages can arrive in any order. If a gap between the versions
 * remains, a message has been lost. This module does no I/O.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { VERSION_GAPS_AHEAD = 64 };

struct version_gaps {			/* all zero: no version has arrived */
	uint64_t all;			/* all versions up to ALL have arrived */
	uint64_t ahead;			/* bit i: version all + 2 + i has arrived */
};

/*
 * Call it when the agent has read the object at VERSION. Higher versions that have
 * already arrived still count. If VERSION differs by more than VERSION_GAPS_AHEAD from
 * gaps->all, this function forgets all versions that have arrived, and sets gaps->all to
 * VERSION.
 */
void version_gaps_read(struct version_gaps *gaps, uint64_t version);
/*
 * Call it when a message with VERSION has arrived. If VERSION is more than
 * VERSION_GAPS_AHEAD + 1 above gaps->all, this function ignores VERSION, and the gap
 * remains.
 */
void version_gaps_received(struct version_gaps *gaps, uint64_t version);
/* True: no version up to VERSION is missing. */
bool version_gaps_none_up_to(const struct version_gaps *gaps, uint64_t version);
