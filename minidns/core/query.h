/*
 * query -- a request, read and judged: what it asks for, or with which rcode,
 * or with silence, it is turned away. RFC 8906 and the tables of malformed
 * packets in tests/unit/minidns/test_query.c say what comes of each. A
 * struct query is its own copy: the packet may go.
 *
 * TSIG (RFC 8945): no key is known here, so a well-formed signature is
 * NOTAUTH with BADKEY in an unsigned TSIG record, as RFC 8945 5.2.1 has it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/packet.h"
#include "model/name.h"

enum query_fate {
	QUERY_SILENCE,		/* a response, or too short for a header: never answer */
	QUERY_REFUSED,		/* answer with rcode and nothing else */
	QUERY_SERVE,
};

struct query_tsig {
	bool present;
	struct name key, algorithm;
	uint8_t time_and_fudge[8];	/* as they came */
	uint16_t original_id;
};

struct query {
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
	uint32_t ixfr_serial;		/* of an IXFR: what the client has */
	struct query_tsig tsig;
};

enum query_fate query_read(const uint8_t *packet, size_t len, bool tcp,
                           struct query *query);

/* ---- what every answer begins and ends with ---- */

/* Header room and the question; over UDP bounded by what the client takes. */
void query_answer_begin(const struct query *query, bool tcp, uint8_t *data, size_t size,
                        struct packet_writer *writer);
/* OPT, TSIG and the header. COUNT has answer, authority and additional so far. */
void query_answer_end(const struct query *query, uint16_t flags, enum rcode rcode,
                      const uint16_t count[SECTIONS], struct packet_writer *writer);
/* An answer of an rcode and nothing else. Returns its length. */
size_t query_answer_rcode(const struct query *query, enum rcode rcode, uint8_t *data,
                          size_t size);
