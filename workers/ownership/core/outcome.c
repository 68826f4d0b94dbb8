#include "core/outcome.h"

#include "dns/packet.h"

enum { RCODES = 16 };

static const char *const names[OUTCOME_COUNT] = {
	[OUTCOME_OPEN]     = "open",
	[OUTCOME_APPLIED]  = "applied",
	[OUTCOME_CONFLICT] = "conflict",
	[OUTCOME_CHANGED]  = "changed",
	[OUTCOME_POLICY]   = "policy",
	[OUTCOME_FAILED]   = "failed",
	[OUTCOME_AGAIN]    = "again",
	[OUTCOME_UNABLE]   = "unable",
	[OUTCOME_PARKED]   = "parked",
};

const char *outcome_name(enum outcome outcome)
{
	return names[outcome];
}

/* Zeroes are of answers that no server gives to an update; it is asked again. */
static const enum outcome outcomes[RCODES] = {
	[RCODE_NOERROR]  = OUTCOME_APPLIED,
	[RCODE_FORMERR]  = OUTCOME_PARKED,	/* it cannot read what we write */
	[RCODE_SERVFAIL] = OUTCOME_UNABLE,
	[RCODE_NXDOMAIN] = OUTCOME_CHANGED,
	[RCODE_NOTIMP]   = OUTCOME_PARKED,
	[RCODE_REFUSED]  = OUTCOME_POLICY,
	[RCODE_YXDOMAIN] = OUTCOME_CONFLICT,
	[RCODE_YXRRSET]  = OUTCOME_CONFLICT,
	[RCODE_NXRRSET]  = OUTCOME_CHANGED,
	[RCODE_NOTAUTH]  = OUTCOME_PARKED,	/* not its zone, or not our key */
	[RCODE_NOTZONE]  = OUTCOME_FAILED,	/* a name outside of it */
};

enum outcome outcome_of_reply(uint8_t rcode, uint16_t tsig_error)
{
	if (tsig_error)
		return OUTCOME_PARKED;
	if (rcode >= RCODES || outcomes[rcode] == OUTCOME_OPEN)
		return OUTCOME_AGAIN;
	return outcomes[rcode];
}

bool outcome_is_of_one(enum outcome outcome)
{
	return outcome == OUTCOME_CONFLICT || outcome == OUTCOME_CHANGED ||
	       outcome == OUTCOME_POLICY || outcome == OUTCOME_FAILED ||
	       outcome == OUTCOME_UNABLE;
}
