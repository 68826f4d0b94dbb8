/*
 * outcome -- derives the outcome of an update from the answer that the name server (RFC
 * 2136 2.2, 3.8) or central has sent.
 *
 * If the server has already applied an update, the prerequisites of the update fail. So
 * zonefleet can send an update again while its outcome is unknown. NOERROR does not prove
 * that the server has applied the update, because a server silently drops records that
 * conflict with a CNAME (RFC 2136 3.4.2.2). So only a later reading of the zone confirms
 * an update.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum outcome {
	OUTCOME_OPEN,			/* not sent yet */
	/*
	 * The server has answered that it has applied the update. Only a later reading
	 * confirms the update.
	 */
	OUTCOME_APPLIED,
	/* A name or record set exists that must not exist. The next round plans again. */
	OUTCOME_CONFLICT,
	/* Records have changed since the reading. The next round plans again. */
	OUTCOME_CHANGED,
	OUTCOME_POLICY,			/* the server does not allow the update */
	OUTCOME_FAILED,			/* the server can never apply the update */
	/* The outcome is unknown. The round sends the update again. */
	OUTCOME_AGAIN,
	/* like OUTCOME_AGAIN, but the server has answered with an error */
	OUTCOME_UNABLE,
	OUTCOME_PARKED,			/* the server applies no update of the zone */
	OUTCOME_COUNT
};
const char *outcome_name(enum outcome outcome);		/* "conflict" */

/*
 * Returns the outcome for the answer of a name server. RCODE is 0 to 15. TSIG_ERROR is
 * from the TSIG record of the answer, or 0 (RFC 8945 5.2).
 */
enum outcome outcome_of_reply(uint8_t rcode, uint16_t tsig_error);
/* Returns the outcome for the error of a call to central. */
enum outcome outcome_of_err(enum err err);
/* True: it is possible that one update of the message caused the outcome. */
bool outcome_is_of_one(enum outcome outcome);
