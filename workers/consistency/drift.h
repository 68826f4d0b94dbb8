/*
 * drift -- decides when the pool manager repairs a drift: a difference between the
 * database and a name server that no change explains. The database and the name server
 * can change during a comparison. So only a second comparison in a later round confirms
 * that a difference is a drift. The serials may differ between the two rounds. Before a
 * repair, the pool manager takes the lock of the object and compares the name server with
 * the database again. The caller stores the state of a difference in a row of the
 * database. This module reads no clock: the caller passes each time as an age.
 *
 * seen once                    wait for a later round
 * seen again                   repair the difference
 * repaired too often           the repair does not last: park the drift for an operator
 * repaired without effect      two repairs of this difference changed nothing: park the
 *                              difference. It does not count as a drift
 * not seen for a long time     delete the observation
 */
#pragma once

#include <stdint.h>

/* The stored state of a difference. */
struct drift {
	enum {
		DRIFT_NONE, DRIFT_SEEN, DRIFT_CONFIRMED, DRIFT_PARKED,
		DRIFT_SETTLED,	/* parked: repairs of this difference have no effect */
	} state;
	int64_t age_ms;		/* time in this state */
	int repairs_this_hour;
	/* repairs of the same difference after which the server transferred the zone */
	int same;
};

struct drift_terms {
	int64_t apart_ms;	/* two observations within this time count as one */
	int64_t stale_ms;	/* an observation older than this has no effect */
	int64_t lost_ms;	/* a repair older than this counts as lost: start again */
	int repairs_an_hour;
};

enum drift_action {
	DRIFT_IGNORE,
	DRIFT_RECORD,		/* store the new difference, or start again */
	DRIFT_REPAIR,
	DRIFT_PARK,
	DRIFT_DIFFERS,		/* the server serves the records in a different form */
};

/*
 * The beginning of the text of a difference that is settled. The text of the difference
 * follows, after "; ".
 */
#define DRIFT_DIFFERS_WORDS "two transfers of the zone changed nothing: the server " \
                            "serves these records in a different form"

/* Decides what to do with a difference that the current round has found. */
enum drift_action drift_decide(const struct drift *known,
                               const struct drift_terms *terms);
