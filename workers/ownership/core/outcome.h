/*
 * outcome -- the result of an update, from the answer of its server (RFC 2136 2.2, 3.8)
 * or of central.
 *
 * The prerequisites of an update fail if the server has applied it before. So zonefleet
 * can send it again while its result is unknown. NOERROR does not prove that the server
 * has applied it: a server silently drops records that conflict with a CNAME (3.4.2.2).
 * So a later reading confirms the names.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum outcome {
	OUTCOME_OPEN,			/* not sent yet */
	OUTCOME_APPLIED,		/* a reading confirms it */
	OUTCOME_CONFLICT,		/* another program was first: plan again */
	OUTCOME_CHANGED,		/* the zone has changed: plan again */
	OUTCOME_POLICY,			/* the server does not allow it */
	OUTCOME_FAILED,			/* the server can never take it */
	OUTCOME_AGAIN,			/* unknown: send it again later */
	OUTCOME_UNABLE,			/* as OUTCOME_AGAIN, but the server does answer */
	OUTCOME_PARKED,			/* the server takes no update of the zone */
	OUTCOME_COUNT
};
const char *outcome_name(enum outcome outcome);		/* "conflict" */

/* RCODE is 0 to 15. TSIG_ERROR is from the answer's signature, or 0 (RFC 8945 5.2). */
enum outcome outcome_of_reply(uint8_t rcode, uint16_t tsig_error);
/* The outcome for the error of a call to central. */
enum outcome outcome_of_err(enum err err);
/* True: a single update of the message may be the cause. */
bool outcome_is_of_one(enum outcome outcome);
