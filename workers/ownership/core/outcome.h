/*
 * outcome -- what becomes of an update, by what its server answers (RFC 2136 2.2, 3.8),
 * or central.
 *
 * An update has prerequisites that tell whether it was done already, so it can be sent
 * again whenever it is unknown whether it was done. And NOERROR is no proof that it was:
 * a server drops what would meet a CNAME without a word (3.4.2.2), so the names are read
 * again before anything is said to be done.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum outcome {
	OUTCOME_OPEN,			/* not sent yet */
	OUTCOME_APPLIED,		/* read it again */
	OUTCOME_CONFLICT,		/* somebody was there first: plan anew */
	OUTCOME_CHANGED,		/* what it was made from is no more: plan anew */
	OUTCOME_POLICY,			/* the server does not allow it */
	OUTCOME_FAILED,			/* it never will be taken */
	OUTCOME_AGAIN,			/* unknown: send it again, later */
	OUTCOME_UNABLE,			/* the same, and the server lives */
	OUTCOME_PARKED,			/* nothing of this zone will be taken */
	OUTCOME_COUNT
};
const char *outcome_name(enum outcome outcome);		/* "conflict" */

/* RCODE of 0 to 15; TSIG_ERROR of the answer's signature, else 0 (RFC 8945 5.2). */
enum outcome outcome_of_reply(uint8_t rcode, uint16_t tsig_error);
/* What central answered, or why it was not asked. */
enum outcome outcome_of_err(enum err err);
/* Could it be the fault of one update of several in the message? */
bool outcome_is_of_one(enum outcome outcome);
