#include "core/outcome.h"

#include "base/log.h"
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

/*
 * Entries with zero are for answers that no server gives to an update; it is sent again.
 */
static const enum outcome outcomes[RCODES] = {
	[RCODE_NOERROR]  = OUTCOME_APPLIED,
	[RCODE_FORMERR]  = OUTCOME_PARKED,	/* the server cannot read our message */
	[RCODE_SERVFAIL] = OUTCOME_UNABLE,
	[RCODE_NXDOMAIN] = OUTCOME_CHANGED,
	[RCODE_NOTIMP]   = OUTCOME_PARKED,
	[RCODE_REFUSED]  = OUTCOME_POLICY,
	[RCODE_YXDOMAIN] = OUTCOME_CONFLICT,
	[RCODE_YXRRSET]  = OUTCOME_CONFLICT,
	[RCODE_NXRRSET]  = OUTCOME_CHANGED,
	/* not the server's zone, or not our key */
	[RCODE_NOTAUTH]  = OUTCOME_PARKED,
	[RCODE_NOTZONE]  = OUTCOME_FAILED,	/* a name outside of the zone */
};

enum outcome outcome_of_reply(uint8_t rcode, uint16_t tsig_error)
{
	if (tsig_error)
		return OUTCOME_PARKED;
	if (rcode >= RCODES || outcomes[rcode] == OUTCOME_OPEN)
		return OUTCOME_AGAIN;
	return outcomes[rcode];
}

/*
 * Outcomes of errors of central. A single change may cause most of them, and must not
 * block the other changes. After silence the result is unknown. One change can also take
 * central too long (BUSY), lose each race, or fail with another error.
 */
static const enum outcome outcomes_of_err[ERR_COUNT] = {
	[OK]              = OUTCOME_APPLIED,
	[ERR_INVALID]     = OUTCOME_FAILED,
	[ERR_ARGUMENTS]   = OUTCOME_PARKED,	/* central cannot read our message */
	[ERR_METHOD]      = OUTCOME_PARKED,
	[ERR_VERSION]     = OUTCOME_PARKED,
	[ERR_DENIED]      = OUTCOME_POLICY,
	[ERR_NOT_FOUND]   = OUTCOME_PARKED,	/* not central's domain */
	[ERR_EXISTS]      = OUTCOME_CHANGED,
	[ERR_CONFLICT]    = OUTCOME_CHANGED,	/* a set is not as expected */
	[ERR_QUOTA]       = OUTCOME_POLICY,
	[ERR_NO_POOL]     = OUTCOME_POLICY,
	[ERR_SEVERAL_POOLS] = OUTCOME_POLICY,
	[ERR_TOO_LARGE]   = OUTCOME_FAILED,
	[ERR_RACE]        = OUTCOME_UNABLE,
	[ERR_LOCKED]      = OUTCOME_UNABLE,
	[ERR_EXPIRED]     = OUTCOME_UNABLE,
	[ERR_BUSY]        = OUTCOME_UNABLE,
	[ERR_TIMEOUT]     = OUTCOME_AGAIN,
	[ERR_UNREACHABLE] = OUTCOME_AGAIN,
	[ERR_REMOTE]      = OUTCOME_UNABLE,
	[ERR_INTERNAL]    = OUTCOME_UNABLE,
};

enum outcome outcome_of_err(enum err err)
{
	bug_if((unsigned)err >= ERR_COUNT || outcomes_of_err[err] == OUTCOME_OPEN);
	return outcomes_of_err[err];
}

bool outcome_is_of_one(enum outcome outcome)
{
	return outcome == OUTCOME_CONFLICT || outcome == OUTCOME_CHANGED ||
	       outcome == OUTCOME_POLICY || outcome == OUTCOME_FAILED ||
	       outcome == OUTCOME_UNABLE;
}
