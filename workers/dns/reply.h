/*
 * reply -- decides whether a DNS message is the answer to a message of this process.
 * reply_read() compares the id, QR bit and opcode, and checks the TSIG record (RFC 8945
 * 5.3). The caller reads the content of the answer.
 *
 * The answer to a signed message must be signed. There is one exception: a server that
 * does not know the key or the secret sends an unsigned error (RFC 8945 5.3.2).
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
	struct tsig_chain chain;	/* if `is_signed` */
};

enum reply_kind {
	/* an answer; its MAC is valid, if a MAC is required */
	REPLY_MATCHES,
	REPLY_UNRELATED,		/* not an answer to the sent message */
	REPLY_INVALID,			/* malformed, or its MAC is not valid */
	/* the server refuses the TSIG record of the sent message: see tsig.error */
	REPLY_TSIG_REFUSED,
};

struct reply {
	enum reply_kind kind;
	/*
	 * the fault, unless the kind is REPLY_MATCHES; a text to print after the
	 * server's name
	 */
	const char *fault;
	struct packet_header header;
	struct packet_reader reader;	/* after the header */
	struct tsig tsig;
};

/*
 * Sets the header of the message in WRITER, and signs the message with KEY unless KEY is
 * NULL. NOW: unix seconds. The writer needs room for the TSIG record: tsig_room_of().
 */
void sent_message_finish(struct sent_message *request, const struct tsig_key *key,
                         uint64_t now, const struct packet_header *header,
                         struct packet_writer *writer);
/*
 * Signs the message in DATA again, with the time NOW. The id and the length of the
 * message do not change.
 */
void sent_message_sign_again(struct sent_message *request, uint64_t now, uint8_t *data,
                             size_t len);
/* Reads DATA, of LEN octets, as an answer to REQUEST. *reply borrows DATA. */
void reply_read(const struct sent_message *request, const uint8_t *data, size_t len,
                uint64_t now, struct reply *reply);
/*
 * Returns the server's time, in unix seconds, if DATA refuses the time of REQUEST with a
 * valid MAC; otherwise 0. The caller can sign REQUEST again with this time (RFC 8945
 * 5.2.3).
 */
uint64_t reply_server_time(const struct sent_message *request, const uint8_t *data,
                           size_t len);
/* Wipes the key. */
void sent_message_clear(struct sent_message *request);
