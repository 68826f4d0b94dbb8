/*
 * axfr_reader -- a zone that somebody sends us (RFC 5936), message by message: the question
 * for it, and of each answer its records, until the SOA that the first one began with
 * comes again. What was taken before that end means nothing: a transfer that breaks off
 * is no empty zone.
 *
 * Of a transfer that was asked for under a signature the first and the last message must
 * be signed, and of a hundred in a row one (RFC 8945 5.3.1); the records of those between
 * come before anybody knows whether they are true, which the end says. Pure; it holds no
 * message, and of the zone nothing but its SOA.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/canonical.h"
#include "dns/packet.h"
#include "dns/tsig.h"

enum incoming_step {
	INCOMING_RECORD,	/* the next one; the SOA comes once */
	INCOMING_MORE,		/* the message has no more: wait for another */
	INCOMING_END,		/* the zone was whole */
	INCOMING_REFUSED,	/* with an rcode */
	INCOMING_BROKEN,
};

enum { INCOMING_ASK_MAX = 1024 };	/* octets of a question */

struct incoming_limits {
	uint64_t records, octets;	/* that a zone may have */
};

struct incoming {
	uint16_t id;
	struct name zone;		/* in lower case */
	struct incoming_limits limits;
	bool is_signed;
	struct tsig_chain chain;	/* if it is */
	struct tsig_gap gap;
	/* the message in hand */
	struct packet_reader reader;
	unsigned left;			/* records of it */
	bool vouched;			/* nothing so far waits for a signature */
	/* of the zone so far */
	bool has_soa, ended;
	uint32_t serial;		/* once the first record is there */
	uint8_t soa[2 * NAME_MAX_WIRE + CANONICAL_FIXED + NAME_MAX_WIRE + 20];
	size_t soa_len;
	uint64_t messages, records, octets;
	/* why it is REFUSED or BROKEN, in words that go behind the server's name */
	const char *fault;
	enum rcode rcode;
	/* the server's, if it refuses ours, and signs that; else 0 */
	uint64_t server_time;
};

/*
 * The question as a message, signed with KEY unless it is NULL; NOW: unix seconds.
 * Returns its length. DATA has INCOMING_ASK_MAX octets.
 */
size_t incoming_ask(struct incoming *incoming, const struct name *zone, uint16_t id,
                    const struct tsig_key *key, uint64_t now, uint8_t *data);
/*
 * The next message, borrowed until it has no more records. False: it is not taken, and
 * incoming_next() says why.
 */
bool incoming_take(struct incoming *incoming, const uint8_t *data, size_t len,
                   uint64_t now);
enum incoming_step incoming_next(struct incoming *incoming, struct canonical *record);
/* Wipes the key. */
void incoming_clear(struct incoming *incoming);
