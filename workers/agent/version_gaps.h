/*
 * version_gaps -- records which versions of an object have arrived as messages: all up to
 * one version, and some of the next 64. A version out of order fills its gap. A gap that
 * stays is a lost message. Pure.
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
 * The reader has read the object at VERSION. Versions that arrived meanwhile still
 * count, unless VERSION is far behind: then counting starts again.
 */
void version_gaps_read(struct version_gaps *gaps, uint64_t version);
/*
 * A message with VERSION arrived. A version beyond VERSION_GAPS_AHEAD has no effect and
 * leaves a gap.
 */
void version_gaps_received(struct version_gaps *gaps, uint64_t version);
/* True: no version up to VERSION is missing. */
bool version_gaps_none_up_to(const struct version_gaps *gaps, uint64_t version);
