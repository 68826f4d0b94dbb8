/*
 * drift -- decides whether the pool manager repairs a difference between the database
 * and a name server now (seed 004: two comparisons confirm it). Both sides change during
 * the reads, so only a later round confirms a difference; the two rounds may see
 * different serials. The repair takes the lock of the object and compares once more. The
 * caller stores the state in a row of the database. Pure: times are ages.
 *
 * seen once                    wait for a later round
 * seen again                   repair it
 * repaired too often           something undoes the repair: parked, for an operator
 * not seen again for long      forgotten
 */
#pragma once

#include <stdint.h>

/* The stored state of a difference. */
struct drift {
	enum {
		DRIFT_NONE, DRIFT_SEEN, DRIFT_CONFIRMED, DRIFT_PARKED,
	} state;
	int64_t age_ms;		/* time in this state */
	int repairs_this_hour;
};

struct drift_terms {
	int64_t apart_ms;	/* observations closer than this count once */
	int64_t stale_ms;	/* an older observation is forgotten */
	int64_t lost_ms;	/* a repair that takes this long is lost: start again */
	int repairs_an_hour;
};

enum drift_action {
	DRIFT_IGNORE,
	DRIFT_RECORD,		/* new, or starts again */
	DRIFT_REPAIR,
	DRIFT_PARK,
};

/* Decides what to do with a difference that a round has seen now. */
enum drift_action drift_decide(const struct drift *known,
                               const struct drift_terms *terms);
