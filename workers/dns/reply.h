/*
 * reply -- decides whether a DNS message is the answer to a message of this process.
 * reply_read() compares the id, QR bit and opcode, and checks the TSIG record (RFC 8945
 * 5.3). The caller reads the content of the answer.
 *
 * The answer to a signed message must be signed, with one exception. A server that does
 * not know the key or has a different secret sends an unsigned error (RFC 8945 5.3.2).
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
	struct tsig_chain chain;	/* only if `is_signed` is true */
};

enum reply_kind {
	/* the answer to the sent message; if that message is signed, the MAC is valid */
	REPLY_MATCHES,
	REPLY_UNRELATED,		/* not an answer to the sent message */
	REPLY_INVALID,	/* the answer is malformed, or its MAC is missing or not valid */
	/* the server refuses the TSIG record of the sent message; tsig.error says why */
	REPLY_TSIG_REFUSED,
};

struct reply {
	enum reply_kind kind;
	/*
	 * what is wrong, as the end of a sentence that begins with the name of the
	 * server; NULL: the kind is REPLY_MATCHES
	 */
	const char *fault;
	struct packet_header header;
	struct packet_reader reader;	/* at the first octet after the header */
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
 * Signs the signed message in DATA again, with the time NOW. The id and the length of
 * the message do not change.
 */
void sent_message_sign_again(struct sent_message *request, uint64_t now, uint8_t *data,
                             size_t len);
/* Reads DATA, of LEN octets, as an answer to REQUEST. REPLY borrows DATA. */
void reply_read(const struct sent_message *request, const uint8_t *data, size_t len,
                uint64_t now, struct reply *reply);
/*
 * Returns the server's time in unix seconds, if DATA answers BADTIME to REQUEST and has
 * a valid MAC; otherwise 0. The caller can sign REQUEST again with this time (RFC 8945
 * 5.2.3).
 */
uint64_t reply_server_time(const struct sent_message *request, const uint8_t *data,
                           size_t len);
/* Wipes the key. */
void sent_message_clear(struct sent_message *request);
