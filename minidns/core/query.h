/*
 * query -- a request, read and checked: what it asks for, or with which rcode,
 * or with silence, it is turned away. RFC 8906 and the tables of malformed
 * packets in tests/unit/minidns/test_query.c say what comes of each. A
 * struct query is its own copy: the packet may go.
 *
 * A signature (tsig.h) is read here and checked by query_verify(), with the key of whoever
 * calls: until then nobody knows who asks. A cookie (cookie.h) is likewise read here, and
 * checked by whoever has the secrets.
 *
 * EDNS (RFC 6891) is of version 0; of the options we know COOKIE, edns-tcp-keepalive
 * (over TCP; over UDP it means nothing) and, in answers, extended errors. Others are
 * skipped, NSID too: nobody need know which of us answered. We send no padding.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cookie.h"
#include "dns/packet.h"
#include "dns/tsig.h"
#include "model/name.h"

enum query_fate {
	QUERY_SILENCE,		/* a response, or too short for a header: never answer */
	QUERY_REFUSED,		/* answer with rcode and nothing else */
	/* has no question, and asks for a cookie (RFC 7873 5.4): the same */
	QUERY_COOKIE,
	QUERY_SERVE,
};

/* Why an answer is an error, for the one who reads it (RFC 8914). */
struct extended_error {
	uint16_t code;
	const char *text;		/* UTF-8; "": none */
};

struct query {
	size_t packet_len;		/* octets that it came in */
	uint16_t id, flags;
	enum rcode rcode;
	bool has_question;
	struct name raw;		/* the name as it was asked, for the echo */
	struct name name;		/* in lower case */
	uint16_t type, class;
	bool has_edns;
	/* what the client takes over UDP, bounded to ours */
	uint16_t udp_size;
	bool dnssec_ok;
	bool has_cookie;
	size_t cookie_len;		/* as said; of more than are kept none are */
	uint8_t cookie_option[COOKIE_MAX_LEN];
	bool wants_keepalive;		/* RFC 7828; over TCP only */
	uint32_t ixfr_serial;		/* of an IXFR: what the client has */
	/* what the answer is to be signed like */
	enum { UNSIGNED, SIGNED, BADLY_SIGNED } signature;
	enum tsig_error tsig_error;
	struct tsig tsig;		/* as it came */
	struct tsig_chain chain;	/* if SIGNED */
	uint64_t now;			/* unix seconds, for signatures */
	/*
	 * What the OPT of the answer has besides: set before that begins, and not changed
	 * until it has ended. No OPT comes where none was sent.
	 */
	struct cookie cookie;		/* if one came; none of a malformed one */
	uint16_t keepalive_ds;		/* if it was wanted: tenths of a second */
	const struct extended_error *error;	/* NULL: none */
};

enum query_fate query_read(const uint8_t *packet, size_t len, bool tcp,
                           struct query *query);
/*
 * The signature of a query that was read from PACKET: with KEY, that of the name which it
 * gives, or NULL if there is none. Returns what comes of the query now.
 */
enum query_fate query_verify(struct query *query, const uint8_t *packet,
                             const struct tsig_key *key, uint64_t now);
/* Before its memory goes: it may have a copy of a secret. */
void query_wipe(struct query *query);
/* The key that it is rightly signed with, or NULL. */
const struct tsig_key *query_key(const struct query *query);

/* ---- what every answer begins and ends with ---- */

/* Header room and the question; over UDP bounded by what the client takes. */
void query_answer_begin(const struct query *query, bool tcp, uint8_t *data, size_t size,
                        struct packet_writer *writer);
/* An answer of one record, which is there to be copied. It leaves the query as it was. */
size_t query_answer_ready(const struct query *query, uint16_t flags, const uint8_t *record,
                          size_t len, bool tcp, uint8_t *data, size_t size);
/*
 * OPT, the header and TSIG. COUNT has answer, authority and additional so far. The next
 * message of a transfer has no question, is signed as the one behind it, and has an OPT
 * (RFC 5936 2.2.5 leaves it to us) only for a cookie: dig misses it in each.
 * The text of an extended error goes where the client has no room for it.
 */
void query_answer_end(struct query *query, uint16_t flags, enum rcode rcode,
                      const uint16_t count[SECTIONS], struct packet_writer *writer);
/*
 * Answers without records: an rcode and nothing else, or TC. They leave the query as it
 * was, so that another answer can take their place. Return their length.
 */
size_t query_answer_rcode(const struct query *query, enum rcode rcode, uint8_t *data,
                          size_t size);
size_t query_answer_truncated(const struct query *query, uint8_t *data, size_t size);
