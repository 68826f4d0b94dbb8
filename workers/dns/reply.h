/*
 * reply -- a message that we sent, and whether another message answers it: by its id, QR
 * bit, opcode, and signature (RFC 8945 5.3). The caller reads the content of the answer.
 *
 * The answer to a signed message must be signed. An exception is the error of a server
 * that does not know the key or the secret (5.3.2): it has no signature.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/packet.h"
#include "dns/tsig.h"

struct sent_message {
	uint16_t id;
	uint8_t opcode;
	bool is_signed;
	struct tsig_chain chain;	/* if signed */
};

enum reply_kind {
	REPLY_MATCHES,			/* and its signature is valid, if required */
	REPLY_UNRELATED,		/* not an answer to our message */
	REPLY_INVALID,			/* malformed, or its signature is not valid */
	REPLY_TSIG_REFUSED,		/* it refuses our signature: see tsig.error */
};

struct reply {
	enum reply_kind kind;
	const char *fault;		/* unless it matches: after the server's name */
	struct packet_header header;
	struct packet_reader reader;	/* after the header */
	struct tsig tsig;
};

/*
 * Sets the header of the message in WRITER and signs it with KEY, unless it is NULL. NOW:
 * unix seconds. The writer needs room: tsig_room_of().
 */
void sent_message_finish(struct sent_message *request, const struct tsig_key *key,
                         uint64_t now, const struct packet_header *header,
                         struct packet_writer *writer);
/* Signs the message in DATA again, with the time NOW. Its id and length stay. */
void sent_message_sign_again(struct sent_message *request, uint64_t now, uint8_t *data,
                             size_t len);
/* Reads DATA, of LEN octets, as an answer to REQUEST. *reply borrows DATA. */
void reply_read(const struct sent_message *request, const uint8_t *data, size_t len,
                uint64_t now, struct reply *reply);
/*
 * The server's time, in unix seconds, if DATA refuses the time of REQUEST with a valid
 * signature: REQUEST can be signed again with it (RFC 8945 5.2.3). Else 0.
 */
uint64_t reply_server_time(const struct sent_message *request, const uint8_t *data,
                           size_t len);
/* Wipes the key. */
void sent_message_clear(struct sent_message *request);
