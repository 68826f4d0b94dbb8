/*
 * version_gaps -- records which versions of an object have arrived in messages: all
 * versions up to a certain version, and some of the next 64 versions. Messages may arrive
 * in any order. If a gap remains, a message has been lost. This module does no I/O.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { VERSION_GAPS_AHEAD = 64 };

struct version_gaps {			/* zeroed: no version */
	uint64_t all;			/* all versions up to this have arrived */
	uint64_t ahead;			/* bit i: version all + 2 + i has arrived */
};

/*
 * The agent has read the object at VERSION. Later versions that arrived during the read
 * still count, unless they are far ahead of VERSION. Then the record starts again at
 * VERSION.
 */
void version_gaps_read(struct version_gaps *gaps, uint64_t version);
/*
 * A message with VERSION has arrived. If VERSION is more than VERSION_GAPS_AHEAD ahead,
 * this function does not record VERSION, and the gap remains.
 */
void version_gaps_received(struct version_gaps *gaps, uint64_t version);
/* True: no version up to VERSION is missing. */
bool version_gaps_none_up_to(const struct version_gaps *gaps, uint64_t version);
