/*
 * reply -- a message that we sent, and whether another is the answer to it: its id, that
 * it is one, its opcode, and its signature, as whoever asks under one must see to (RFC
 * 8945 5.3). What the answer says is for who asked.
 *
 * Who asked under a signature is answered under one, but where the server cannot sign for
 * it does not know the key or the secret (5.3.2): then an error comes without one.
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
	struct tsig_chain chain;	/* if it is */
};

enum reply_kind {
	REPLY_OURS,			/* and by whom it says to be */
	REPLY_STRANGE,			/* to another message, or none at all */
	REPLY_WRONG,			/* to ours, and not to be believed */
	REPLY_REFUSES,			/* our signature: tsig.error says why */
};

struct reply {
	enum reply_kind kind;
	const char *fault;		/* of all but OURS: behind the server's name */
	struct packet_header header;
	struct packet_reader reader;	/* behind the header */
	struct tsig tsig;
};

/*
 * Sets the header of the message in WRITER and signs it with KEY, unless it is NULL, at
 * NOW, in unix seconds. There must be room: tsig_room_of().
 */
void sent_message_end(struct sent_message *request, const struct tsig_key *key,
                      uint64_t now, const struct packet_header *header,
                      struct packet_writer *writer);
/* Signs it again, as it is in DATA, at NOW; its id and its length stay. */
void sent_message_sign_again(struct sent_message *request, uint64_t now, uint8_t *data,
                             size_t len);
/* What DATA, of LEN octets, which *reply borrows, is to REQUEST. */
void reply_read(const struct sent_message *request, const uint8_t *data, size_t len,
                uint64_t now, struct reply *reply);
/*
 * The server's time, in unix seconds, if DATA refuses REQUEST for its time, and is signed
 * well, so that REQUEST can be signed by it (RFC 8945 5.2.3). Else 0.
 */
uint64_t reply_server_time(const struct sent_message *request, const uint8_t *data,
                           size_t len);
/* Wipes the key. */
void sent_message_clear(struct sent_message *request);
