/*
 * response -- reads the answer of a name server to a query for the SOA of a zone.
 * mini-DNS accepts only an answer to this query (RFC 5452: id, question, opcode; the
 * connected socket checks the source). Silence never proves that a zone is absent.
 *
 * 	serial	  the server serves the zone at this serial
 * 	absent	  the server does not serve the zone to mini-DNS: REFUSED, NOTAUTH,
 * 		  NXDOMAIN, or NOERROR without an SOA. The pool manager needs a
 * 		  confirmation of the absence (poolmgr/core/absence.h). The answer to a
 * 		  signed request must be signed, except REFUSED over TCP
 * 	lame	  the answer contains an SOA but is not authoritative
 * 	failed	  any other rcode, malformed records, or no valid TSIG record with the
 * 		  server's key
 * 	unasked	  mini-DNS had no socket, did not have the server's key, or found no
 * 		  server with this address in the database
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/packet.h"
#include "dns/tsig.h"

enum response_kind {
	RESPONSE_MISMATCH,	/* not an answer to this request: continue to wait */
	RESPONSE_TRUNCATED,	/* the answer has the TC bit: repeat the query over TCP */
	RESPONSE_SERIAL,
	RESPONSE_ABSENT,
	RESPONSE_LAME,
	RESPONSE_FAILED,
	/* mini-DNS did not send the request; response_read() never returns this kind */
	RESPONSE_UNASKED,
	RESPONSE_KINDS
};
const char *response_kind_name(enum response_kind kind);	/* "serial" */

struct soa_request {
	uint16_t id;
	int opcode;		/* QUERY (for the SOA) or NOTIFY */
	/* name in the question; can contain letters of both cases */
	struct name zone;
	bool is_signed;
	/* only if `is_signed`: the chain of MACs that the answer continues */
	struct tsig_chain chain;
};

enum { SOA_REQUEST_MAX = 1024 };	/* largest length of a request, in octets */

struct response {
	enum response_kind kind;
	enum rcode rcode;
	uint32_t serial;	/* RESPONSE_SERIAL of a query: the serial in the SOA */
	/*
	 * True: the answer repeats the question octet by octet. False: the question has a
	 * different case, or is missing.
	 */
	bool is_exact;
	/*
	 * RESPONSE_FAILED: the cause as text; NULL: the rcode is the cause, or the
	 * records are malformed. RESPONSE_UNASKED: the reason why mini-DNS sent no
	 * request. RESPONSE_MISMATCH: the reason why the answer to a signed request is
	 * not valid: no TSIG record, a TSIG error or an invalid MAC; NULL: the answer is
	 * for another request. An answer with a fault is possibly forged, so mini-DNS
	 * waits for another answer. If no other answer arrives, the request fails with
	 * this fault.
	 */
	const char *fault;
	/*
	 * True: the request was signed, and the answer is REFUSED without a TSIG record.
	 * Knot does not sign this answer if Knot does not have the zone, even if Knot has
	 * the key. If no signed answer arrives, mini-DNS repeats the request over TCP,
	 * where only the server can answer.
	 */
	bool is_unsigned_absence;
};

/*
 * Encodes the request as a message, and signs the message with KEY unless KEY is NULL.
 * NOW is in unix seconds. Returns the length of the message. DATA has room for
 * SOA_REQUEST_MAX octets.
 */
size_t soa_request_encode(struct soa_request *ask, const struct tsig_key *key,
                          uint64_t now, uint8_t *data);
/*
 * Reads an answer. For an answer to a NOTIFY, the kind is RESPONSE_SERIAL if the rcode is
 * NOERROR, and RESPONSE_FAILED if the rcode is different.
 */
struct response response_read(const struct soa_request *ask, const uint8_t *data,
                              size_t len, uint64_t now);
