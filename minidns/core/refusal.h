/*
 * refusal -- why a question gets no records: its rcode, and what is told
 * besides to a client that speaks EDNS (RFC 8914). The texts are for whoever
 * runs the name server that asked, say what can be done, and are the same for
 * all names and tenants.
 *
 * A database that is away is a Network Error: we failed to speak with another
 * server; No Reachable Authority is for resolvers. Not Ready is for no room, and
 * for a list of servers and keys that was not read since the start;
 * while a zone is merely being loaded the question waits. For a zone whose
 * rows cannot be served no code fits: Other. Answers from memory are at most
 * a second old, which is not stale: they have none.
 */
#pragma once

#include "base/err.h"
#include "core/query.h"

enum refusal {
	REFUSAL_NOT_OURS,
	REFUSAL_NOT_AN_APEX,		/* a transfer of what is not a whole zone */
	REFUSAL_NOT_ALLOWED,
	REFUSAL_UNREACHABLE,
	REFUSAL_BUSY,
	REFUSAL_NOT_READ,		/* nobody knows yet who may have what */
	REFUSAL_BROKEN,
	REFUSAL_COUNT
};

/* Of a failure to get at a zone. */
enum refusal refusal_of(enum err err);
enum rcode refusal_rcode(enum refusal refusal);
const struct extended_error *refusal_error(enum refusal refusal);
