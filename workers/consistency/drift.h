/*
 * suspicion -- whether what a slave store was seen to have otherwise than the master is
 * to be put right now (seed 004: two comparisons confirm it; ours: not for ever).
 *
 * Both stores go on changing while they are read, so a difference is believed only when a
 * later round finds it again. Each sight is of one version of the master's, the same on both
 * sides, and need not be of the same one as the last: an object that changes all the time
 * would never be put right. Whoever repairs takes the object's lock, and asks once more
 * whether it is confirmed still and what the master has. The memory is the caller's, a row
 * in the database: any process may see the second time what another saw first.
 *
 *	seen once                    wait for a later round
 *	seen again                   put it right
 *	repaired too often           something undoes it: parked, for a person to look at
 *	not seen again for long      forgotten
 *
 * Pure: times are ages.
 */
#pragma once

#include <stdint.h>

/* What is known of it. */
struct suspicion {
	enum {
		SUSPICION_NONE, SUSPICION_SEEN, SUSPICION_CONFIRMED, SUSPICION_PARKED,
	} state;
	int64_t age_ms;		/* since that; confirmed or parked: since then */
	int repairs_this_hour;
};

struct suspicion_terms {
	int64_t apart_ms;	/* two sights that are nearer are one */
	int64_t stale_ms;	/* an older one is forgotten */
	int64_t lost_ms;	/* nothing was done for so long after the second: begin anew */
	int repairs_an_hour;
};

enum advice {
	ADVICE_NOTHING,
	ADVICE_SUSPECT,		/* it is new, or begins anew */
	ADVICE_REPAIR,
	ADVICE_PARK,
};

/* It is seen now. */
enum advice suspicion_advice(const struct suspicion *known,
                             const struct suspicion_terms *terms);
