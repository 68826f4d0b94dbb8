/*
 * update_wire -- updates of a zone as one message (RFC 2136 2), and what its answer says.
 *
 * The server takes the message whole or not at all, and nothing in it says of which
 * update a record is: a prerequisite that several of them make stands there once, for a
 * set that is told twice would have to be there twice (3.2.5). Owner names are
 * compressed, names within rdata are not.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "core/batch.h"
#include "core/outcome.h"
#include "core/update.h"
#include "dns/reply.h"

enum {
	/* octets of updates that are in any message, whatever its zone and key */
	UPDATE_WIRE_ROOM = PACKET_MAX - 1024,
};

struct update_message {
	const struct name *zone;
	const struct update *const *updates;
	size_t count;
	const struct tsig_key *key;	/* NULL: none */
	/*
	 * The server has answered under it before. Knot says BADKEY of a key that it
	 * knows and that may not do this (a wrong MAC is BADSIG): that is policy, then.
	 */
	bool is_known_key;
	uint16_t id;
	uint64_t now;			/* unix seconds */
	int64_t ahead_s;		/* of that is the server's clock */
};

/* What the answer is compared with. */
struct update_sent {
	struct sent_message request;
	bool is_known_key;
	int64_t ahead_s;
};

/* What it takes in a message at most: with others it may be less. */
struct batch_size update_wire_size(const struct update *update);
/*
 * Writes the message to DATA, of PACKET_MAX octets, and returns its length; 0: there is
 * no room for it.
 */
size_t update_wire_put(const struct update_message *message, struct update_sent *sent,
                       uint8_t *data);
/*
 * What the answer in DATA means for all updates of the message, and in words that go
 * behind the server's name ("" if it was taken). AGAIN: it is no answer to be believed.
 */
enum outcome update_wire_outcome(const struct update_sent *sent, const uint8_t *data,
                                 size_t len, uint64_t now, struct why *why);
