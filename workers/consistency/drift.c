#include "consistency/drift.h"

enum { HOUR_MS = 3600 * 1000 };

static enum advice of_seen(const struct suspicion *known,
                           const struct suspicion_terms *terms)
{
	if (known->age_ms > terms->stale_ms)
		return ADVICE_SUSPECT;
	if (known->age_ms < terms->apart_ms)
		return ADVICE_NOTHING;
	return known->repairs_this_hour < terms->repairs_an_hour ? ADVICE_REPAIR
	                                                         : ADVICE_PARK;
}

enum advice suspicion_advice(const struct suspicion *known,
                             const struct suspicion_terms *terms)
{
	switch (known->state) {
	case SUSPICION_NONE:
		return ADVICE_SUSPECT;
	case SUSPICION_SEEN:
		return of_seen(known, terms);
	case SUSPICION_CONFIRMED:	/* under way, or lost with its process */
		return known->age_ms < terms->lost_ms ? ADVICE_NOTHING : ADVICE_SUSPECT;
	case SUSPICION_PARKED:
		return known->age_ms < HOUR_MS ? ADVICE_NOTHING : ADVICE_SUSPECT;
	}
	return ADVICE_NOTHING;
}
