/*
 * response -- reads the answer of a name server to a question for the SOA of a zone.
 * Only an answer to this very question counts (RFC 5452: id, question, opcode; the
 * connected socket checks the source). Silence never counts as absence.
 *
 * 	serial	  it serves the zone, at this serial
 * 	absent	  it does not serve the zone to us: REFUSED, NOTAUTH, NXDOMAIN, or no
 * 		  error and no SOA (a second server must confirm: poolmgr/core/absence.h)
 * 	lame	  it has an SOA, but without authority
 * 	failed	  any other rcode, or not signed as the server's TSIG key demands
 * 	unasked	  mini-DNS had no socket, or not the key of the server
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/packet.h"
#include "dns/tsig.h"

enum response_kind {
	RESPONSE_MISMATCH,	/* not an answer to this question: go on waiting */
	RESPONSE_TRUNCATED,	/* repeat the question over TCP */
	RESPONSE_SERIAL,
	RESPONSE_ABSENT,
	RESPONSE_LAME,
	RESPONSE_FAILED,
	RESPONSE_UNASKED,	/* `fault` says why; only the caller sets it */
	RESPONSE_KINDS
};
const char *response_kind_name(enum response_kind kind);	/* "serial" */

struct soa_request {
	uint16_t id;
	int opcode;		/* QUERY (for the SOA) or NOTIFY */
	struct name zone;	/* in any case of letters; the question uses the same */
	bool is_signed;
	struct tsig_chain chain;	/* if `is_signed`; the answer continues it */
};

enum { SOA_REQUEST_MAX = 1024 };	/* octets */

struct response {
	enum response_kind kind;
	enum rcode rcode;
	uint32_t serial;	/* only in RESPONSE_SERIAL */
	/* the question came back octet by octet; false: in another case, or not at all */
	bool is_exact;
	/*
	 * RESPONSE_FAILED: the cause as text; NULL: the rcode says it.
	 * RESPONSE_MISMATCH: the fault of its signature, or why mini-DNS does not accept
	 * an unsigned answer. Such an answer may be forged, and the true answer may
	 * follow. If no other answer follows, this is the reason.
	 */
	const char *fault;
};

/*
 * Encodes the question as a message. KEY signs it, unless KEY is NULL. NOW is in unix
 * seconds. Returns the length. DATA has SOA_REQUEST_MAX octets.
 */
size_t soa_request_encode(struct soa_request *ask, const struct tsig_key *key,
                          uint64_t now, uint8_t *data);
/* An answer to a NOTIFY without an error gives RESPONSE_SERIAL; otherwise FAILED. */
struct response response_read(const struct soa_request *ask, const uint8_t *data,
                              size_t len, uint64_t now);
