/*
 * response -- reads the answer of a name server to a query for the SOA of a zone.
 * mini-DNS accepts only an answer to this query (RFC 5452: id, question, opcode; the
 * connected socket checks the source). Silence never proves that a zone is absent.
 *
 * 	serial	  the server serves the zone at this serial
 * 	absent	  the server does not serve the zone to mini-DNS: REFUSED, NOTAUTH,
 * 		  NXDOMAIN, or NOERROR without an SOA (the pool manager then needs a
 * 		  confirmation: poolmgr/core/absence.h)
 * 	lame	  the answer contains an SOA but is not authoritative
 * 	failed	  any other rcode, or no valid TSIG record with the server's key
 * 	unasked	  mini-DNS had no socket, or did not have the server's key
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/packet.h"
#include "dns/tsig.h"

enum response_kind {
	RESPONSE_MISMATCH,	/* not an answer to this query: continue to wait */
	RESPONSE_TRUNCATED,	/* repeat the query over TCP */
	RESPONSE_SERIAL,
	RESPONSE_ABSENT,
	RESPONSE_LAME,
	RESPONSE_FAILED,
	RESPONSE_UNASKED,	/* `fault` contains the reason; only the caller sets it */
	RESPONSE_KINDS
};
const char *response_kind_name(enum response_kind kind);	/* "serial" */

struct soa_request {
	uint16_t id;
	int opcode;		/* QUERY (for the SOA) or NOTIFY */
	/* may contain letters of both cases; the question has the same case */
	struct name zone;
	bool is_signed;
	/* if `is_signed`; the MAC of the answer continues this chain */
	struct tsig_chain chain;
};

enum { SOA_REQUEST_MAX = 1024 };	/* octets */

struct response {
	enum response_kind kind;
	enum rcode rcode;
	uint32_t serial;	/* only in RESPONSE_SERIAL */
	/*
	 * the answer repeats the question octet by octet; false: with a different case,
	 * or not at all
	 */
	bool is_exact;
	/*
	 * RESPONSE_FAILED: the cause as text; NULL: the rcode is the cause.
	 * RESPONSE_MISMATCH: the answer to a signed request has no TSIG record, a TSIG
	 * error or an invalid MAC; NULL: the answer is for another query. An answer with
	 * a fault may be forged, and the true answer may follow. If no other answer
	 * follows, `fault` is the reason.
	 */
	const char *fault;
};

/*
 * Encodes the request as a message, and signs it with KEY unless KEY is NULL. NOW is in
 * unix seconds. Returns the length. DATA has SOA_REQUEST_MAX octets.
 */
size_t soa_request_encode(struct soa_request *ask, const struct tsig_key *key,
                          uint64_t now, uint8_t *data);
/*
 * Reads an answer. For an answer to a NOTIFY, the kind is RESPONSE_SERIAL if the rcode is
 * NOERROR; otherwise RESPONSE_FAILED.
 */
struct response response_read(const struct soa_request *ask, const uint8_t *data,
                              size_t len, uint64_t now);
