/*
 * update_wire -- writes updates of a zone as one message (RFC 2136 2), and reads its
 * answer.
 *
 * The server applies the message whole or not at all, and the message does not show
 * which record belongs to which update. It writes a prerequisite of several updates only
 * once: with two, the set would have to exist twice (3.2.5). It compresses owner names,
 * but not names in rdata.
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
	/* octets for updates that fit into any message, for each zone and key */
	UPDATE_WIRE_ROOM = PACKET_MAX - 1024,
};

struct update_message {
	const struct name *zone;
	const struct update *const *updates;
	size_t count;
	const struct tsig_key *key;	/* NULL: unsigned */
	/*
	 * The server has accepted this key before. Knot answers BADKEY for a known key
	 * without permission (a wrong MAC is BADSIG), so BADKEY then means policy.
	 */
	bool is_known_key;
	uint16_t id;
	uint64_t now;			/* unix seconds */
	int64_t ahead_s;		/* how far the server's clock is ahead of `now` */
};

/* The values with which update_wire_outcome() checks the answer. */
struct update_sent {
	struct sent_message request;
	bool is_known_key;
	int64_t ahead_s;
};

/* The largest size of an update in a message; beside other updates it may be smaller. */
struct batch_size update_wire_size(const struct update *update);
/*
 * Writes the message to DATA, which has PACKET_MAX octets. Returns its length; 0: no
 * room.
 */
size_t update_wire_put(const struct update_message *message, struct update_sent *sent,
                       uint8_t *data);
/*
 * Reads the answer in DATA: the outcome of all updates in the message. *why gets the text
 * that follows the server's name ("" if applied). AGAIN: the answer cannot be trusted.
 */
enum outcome update_wire_outcome(const struct update_sent *sent, const uint8_t *data,
                                 size_t len, uint64_t now, struct why *why);
