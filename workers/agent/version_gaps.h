/*
 * version_gaps -- which versions of an object have arrived as messages, one by one: all
 * up to one version, and some of the next 64. A version out of order fills its gap. A
 * gap that stays is a lost message. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { VERSION_GAPS_AHEAD = 64 };

struct version_gaps {			/* zeroed: nothing */
	uint64_t all;			/* all up to it have come */
	uint64_t ahead;			/* bit i: all + 2 + i has come */
};

/*
 * The object was read as of VERSION. Versions that came meanwhile still count, unless
 * VERSION is far behind: then counting starts anew.
 */
void version_gaps_read(struct version_gaps *gaps, uint64_t version);
/* A message with VERSION came. Beyond VERSION_GAPS_AHEAD it is ignored, and is a gap. */
void version_gaps_received(struct version_gaps *gaps, uint64_t version);
/* True: no version up to VERSION is missing. */
bool version_gaps_none_up_to(const struct version_gaps *gaps, uint64_t version);
