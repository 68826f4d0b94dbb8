/*
 * query -- reads and checks a DNS request. The result is a verdict: serve the request,
 * refuse the request with an rcode, or send no answer. RFC 8906 and the tables of
 * malformed packets in tests/unit/minidns/test_query.c define the result for each
 * packet. A struct query copies all data that the answer needs from the packet.
 *
 * query_read() reads the TSIG record of the request (tsig.h). query_verify() checks the
 * MAC of this record with the key that the caller passes. Before query_verify(), the
 * identity of the client is unknown. query_read() also reads the cookie (cookie.h) but
 * does not check the cookie.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cookie.h"
#include "dns/packet.h"
#include "dns/tsig.h"
#include "model/name.h"

enum query_verdict {
	/* the packet is a response, or is too short for a header: send no answer */
	QUERY_SILENCE,
	QUERY_REFUSED,		/* answer with the rcode and nothing else */
	/* the query only asks for a cookie (RFC 7873 5.4): answer as for QUERY_REFUSED */
	QUERY_COOKIE,
	QUERY_SERVE,
};

/* The cause of an error answer, as text for an operator (RFC 8914). */
struct extended_error {
	uint16_t code;
	const char *text;		/* UTF-8; "": no text */
};

/*
 * mini-DNS supports version 0 of EDNS (RFC 6891). The known options are COOKIE,
 * edns-tcp-keepalive (over TCP; ignored over UDP) and, in answers, extended errors.
 * query_read() skips all other options. query_read() also skips NSID, because clients
 * need not know which process answered. Answers have no padding.
 */
struct query {
	size_t packet_len;		/* length of the request */
	uint16_t id, flags;
	enum rcode rcode;
	bool has_question;
	/* name in the question, as in the packet; the answer repeats this name */
	struct name raw;
	struct name name;		/* name in the question, in lower case */
	uint16_t type, class;
	bool has_edns;
	/*
	 * Largest answer over UDP, in octets: the size in the OPT record of the query,
	 * but at least PACKET_UDP_MIN and at most PACKET_UDP_MAX. Without OPT:
	 * PACKET_UDP_MIN.
	 */
	uint16_t udp_size;
	bool dnssec_ok;
	bool has_cookie;
	/*
	 * length of the COOKIE option's data in the packet; if this length exceeds
	 * COOKIE_MAX_LEN, cookie_option is not set
	 */
	size_t cookie_len;
	uint8_t cookie_option[COOKIE_MAX_LEN];
	/* true: the client asks for the idle timeout (RFC 7828); only over TCP */
	bool wants_keepalive;
	uint32_t ixfr_serial;		/* for an IXFR: the serial that the client has */
	/*
	 * The state of the signature of the request. This state decides how mini-DNS
	 * signs the answer.
	 */
	enum { UNSIGNED, SIGNED, BADLY_SIGNED } signature;
	enum tsig_error tsig_error;
	struct tsig tsig;		/* the TSIG record of the request */
	struct tsig_chain chain;	/* only if SIGNED: the key and the last MAC */
	uint64_t now;			/* current time in unix seconds, for TSIG */
	/*
	 * The content of the OPT record in the answer. Set these three members before the
	 * answer begins, and do not change them until the answer has ended. A request
	 * without OPT gets an answer without OPT.
	 */
	/* result of the check of the cookie, if has_cookie is set */
	struct cookie cookie;
	/* idle timeout in tenths of a second, if wants_keepalive is set */
	uint16_t keepalive_ds;
	const struct extended_error *error;	/* NULL: no extended error */
};

enum query_verdict query_read(const uint8_t *packet, size_t len, bool tcp,
                              struct query *query);
/*
 * Checks the MAC of the query in PACKET. KEY is the key that the TSIG record names, or
 * NULL if that key is unknown. Returns the verdict on the query.
 */
enum query_verdict query_verify(struct query *query, const uint8_t *packet,
                                const struct tsig_key *key, uint64_t now);
/* Wipes the copy of the secret of a TSIG key. Call it before you free the query. */
void query_wipe(struct query *query);
/* Returns the key of the query's valid MAC, or NULL. */
const struct tsig_key *query_key(const struct query *query);

/* ---- beginning and end of each answer ---- */

/*
 * Begins an answer: reserves room for the header, and writes the question. Over UDP, the
 * answer can have at most udp_size octets.
 */
void query_answer_begin(const struct query *query, bool tcp, uint8_t *data, size_t size,
                        struct packet_writer *writer);
/*
 * Writes an answer with one record. The caller passes the octets of this record. If the
 * record does not fit, the answer has the TC bit instead. Returns the length of the
 * answer. Does not change the query.
 */
size_t query_answer_ready(const struct query *query, uint16_t flags,
                          const uint8_t *record, size_t len, bool tcp, uint8_t *data,
                          size_t size);
/*
 * Ends an answer: writes the OPT record, the header and the TSIG record. COUNT contains
 * the numbers of answer, authority and additional records that the caller has written. If
 * the text of an extended error does not fit, the answer omits the text. In a transfer,
 * the next message has no question and continues the chain of MACs. This next message has
 * an OPT only for a cookie, because dig expects a cookie in each message (RFC 5936 2.2.5
 * allows messages with and without OPT).
 */
void query_answer_end(struct query *query, uint16_t flags, enum rcode rcode,
                      const uint16_t count[SECTIONS], struct packet_writer *writer);
/*
 * These functions write an answer without records. The answer contains only an rcode, or
 * the TC bit. The functions return the length of the answer. The functions do not change
 * the query, so the caller can write another answer instead.
 */
size_t query_answer_rcode(const struct query *query, enum rcode rcode, uint8_t *data,
                          size_t size);
size_t query_answer_truncated(const struct query *query, uint8_t *data, size_t size);
