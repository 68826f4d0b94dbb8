#include "core/outcome.h"

enum { RCODES = 16 };

static const char *const names[OUTCOME_COUNT] = {
	[OUTCOME_OPEN]     = "open",
	[OUTCOME_APPLIED]  = "applied",
	[OUTCOME_CONFLICT] = "conflict",
	[OUTCOME_CHANGED]  = "changed",
	[OUTCOME_POLICY]   = "policy",
	[OUTCOME_FAILED]   = "failed",
	[OUTCOME_AGAIN]    = "again",
	[OUTCOME_PARKED]   = "parked",
};

const char *outcome_name(enum outcome outcome)
{
	return names[outcome];
}

/* Zeroes are of answers that no server gives to an update; it is asked again. */
static const enum outcome outcomes[RCODES] = {
	[0]  = OUTCOME_APPLIED,		/* NOERROR */
	[1]  = OUTCOME_PARKED,		/* FORMERR: it cannot read what we write */
	[2]  = OUTCOME_AGAIN,		/* SERVFAIL */
	[3]  = OUTCOME_CHANGED,		/* NXDOMAIN */
	[4]  = OUTCOME_PARKED,		/* NOTIMP */
	[5]  = OUTCOME_POLICY,		/* REFUSED */
	[6]  = OUTCOME_CONFLICT,	/* YXDOMAIN */
	[7]  = OUTCOME_CONFLICT,	/* YXRRSET */
	[8]  = OUTCOME_CHANGED,		/* NXRRSET */
	[9]  = OUTCOME_PARKED,		/* NOTAUTH: not its zone, or not our key */
	[10] = OUTCOME_FAILED,		/* NOTZONE: a name outside of it */
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
	       outcome == OUTCOME_POLICY || outcome == OUTCOME_FAILED;
}
