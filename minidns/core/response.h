/*
 * verdict -- what an answer to a question of ours says. The poller asks a
 * name server for the SOA of a zone; from what comes back only an answer to
 * this very question counts (RFC 5452: id, question, opcode; the socket is
 * connected, which leaves the source), and of those each says one thing:
 *
 *	serial	  it serves the zone, at this serial
 *	absent	  it does not serve the zone, to us: REFUSED, NOTAUTH, NXDOMAIN, or
 *		  no error and no SOA of that name, as in a referral. That it does not
 *		  have the zone needs a second witness (poolmgr/core/absence.h)
 *	lame	  it has an SOA, but without authority
 *	failed	  any other rcode: it may have the zone, and cannot say
 *	unasked	  it heard nothing of us: we had no socket, or not its key
 *
 * Silence is none of these and never read as absence. Of a server that has a TSIG key
 * only what it signed counts: else its verdict is failed, with what is wrong in `fault`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/packet.h"
#include "dns/tsig.h"

enum verdict {
	VERDICT_MISMATCH,	/* not an answer to this question: keep waiting */
	VERDICT_TRUNCATED,	/* ask again over TCP */
	VERDICT_SERIAL,
	VERDICT_ABSENT,
	VERDICT_LAME,
	VERDICT_FAILED,
	VERDICT_UNASKED,	/* why is in `fault`; of the caller's, never of an answer */
	VERDICT_COUNT
};
const char *verdict_name(enum verdict verdict);	/* "serial" */

struct ask {
	uint16_t id;
	int opcode;		/* QUERY: for the SOA; NOTIFY */
	struct name zone;	/* in any case: so it is asked */
	bool is_signed;
	struct tsig_chain chain;	/* if it is; the answer goes on from it */
};

enum { ASK_MAX = 1024 };	/* octets */

struct judgement {
	enum verdict verdict;
	enum rcode rcode;
	uint32_t serial;	/* of VERDICT_SERIAL */
	/* the question came back octet by octet; else in another case, or not at all */
	bool is_exact;
	/*
	 * Of VERDICT_FAILED: in words; NULL: its rcode is all. Of VERDICT_MISMATCH: what
	 * is wrong with its signature, or how it refuses ours without one. Anybody may
	 * have sent that: the true answer may follow, else this is the reason.
	 */
	const char *fault;
};

/*
 * The question as a message, signed with KEY unless it is NULL; NOW: unix seconds.
 * Returns its length. DATA has ASK_MAX octets.
 */
size_t ask_encode(struct ask *ask, const struct tsig_key *key, uint64_t now,
                  uint8_t *data);
/* A NOTIFY that was answered without an error is VERDICT_SERIAL, else FAILED. */
struct judgement verdict_of(const struct ask *ask, const uint8_t *data, size_t len,
                            uint64_t now);
