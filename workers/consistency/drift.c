#include "consistency/drift.h"

enum { HOUR_MS = 3600 * 1000, SAME_REPAIRS = 2 };

static enum drift_action drift_decide_seen(const struct drift *known,
                                           const struct drift_terms *terms)
{
	if (known->age_ms > terms->stale_ms)
		return DRIFT_RECORD;
	if (known->age_ms < terms->apart_ms)
		return DRIFT_IGNORE;
	if (known->same >= SAME_REPAIRS)
		return DRIFT_DIFFERS;
	return known->repairs_this_hour < terms->repairs_an_hour ? DRIFT_REPAIR
	                                                         : DRIFT_PARK;
}

enum drift_action drift_decide(const struct drift *known, const struct drift_terms *terms)
{
	switch (known->state) {
	case DRIFT_NONE:
		return DRIFT_RECORD;
	case DRIFT_SEEN:
		return drift_decide_seen(known, terms);
	case DRIFT_CONFIRMED:		/* a repair runs, or was lost with its process */
		return known->age_ms < terms->lost_ms ? DRIFT_IGNORE : DRIFT_RECORD;
	case DRIFT_PARKED:
		return known->age_ms < HOUR_MS ? DRIFT_IGNORE : DRIFT_RECORD;
	case DRIFT_SETTLED:		/* renews its row, which a day would delete */
		return known->age_ms < HOUR_MS ? DRIFT_IGNORE : DRIFT_DIFFERS;
	}
	return DRIFT_IGNORE;
}
