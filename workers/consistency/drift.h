/*
 * drift -- decides when the pool manager repairs a drift: a difference between the
 * database and a name server that no change explains. The database and the name server
 * can change during a comparison. So only a second comparison in a later round confirms
 * that a difference is a drift. The serials of the two rounds can differ. Before a
 * repair, the pool manager takes the lock of the object and compares the name server with
 * the database again. The caller stores the state of a difference in a row of the
 * database. This module reads no clock. The caller passes each time as an age.
 *
 * seen once                    wait for a later round
 * seen again within stale_ms   repair the difference
 * seen again after stale_ms    start again: this observation counts as the first
 * repaired too often           the database and the server differ again after
 *                              repairs_an_hour repairs in the last hour: park the drift
 *                              for an hour, or until an operator acts
 * repaired without effect      two repairs of this difference changed nothing: park the
 *                              difference, which does not count as a drift
 */
#pragma once

#include <stdint.h>

/* The stored state of a difference. */
struct drift {
	enum {
		DRIFT_NONE, DRIFT_SEEN, DRIFT_CONFIRMED, DRIFT_PARKED,
		/* parked, because repairs of this difference had no effect */
		DRIFT_SETTLED,
	} state;
	int64_t age_ms;		/* time since the last write of the row */
	int repairs_this_hour;
	/*
	 * number of repairs of this same difference in the last hour, but at most the
	 * number of transfers of the zone to the server
	 */
	int same;
};

struct drift_terms {
	/*
	 * minimum time between the first and the second observation. An earlier second
	 * observation does not count
	 */
	int64_t apart_ms;
	/*
	 * maximum age of the first observation. If the first observation is older, the
	 * new observation counts as the first
	 */
	int64_t stale_ms;
	/*
	 * maximum time of a repair. After this time, the repair counts as lost, and the
	 * next observation counts as the first
	 */
	int64_t lost_ms;
	int repairs_an_hour;
};

enum drift_action {
	DRIFT_IGNORE,
	DRIFT_RECORD,		/* store the difference as seen for the first time */
	DRIFT_REPAIR,
	DRIFT_PARK,
	/* park: the server serves the records in a different form */
	DRIFT_DIFFERS,
};

/*
 * The beginning of the stored text of a difference in the state DRIFT_SETTLED. The stored
 * text continues with "; " and the text of the difference.
 */
#define DRIFT_DIFFERS_WORDS "two transfers of the zone changed nothing: the server " \
                            "serves these records in a different form"

/*
 * What an administrator can do about an orphan zone: the ends of two stored texts. The
 * client shows no such end when the zone is gone.
 */
#define DRIFT_OTHER_FLEET_WORDS \
	"delete the zone by hand, unless the zone belongs to another fleet"
#define DRIFT_OTHER_PROGRAM_WORDS \
	"delete the zone by hand, unless another program uses the zone"

/* Decides what to do with a difference that the current round has found. */
enum drift_action drift_decide(const struct drift *known,
                               const struct drift_terms *terms);
