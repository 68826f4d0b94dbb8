/*
 * update_wire -- writes updates of a zone as one message (section 2 of RFC 2136), and
 * reads the answer.
 *
 * The server applies either the whole message or no part of it. If several updates have
 * the same prerequisite, the message contains this prerequisite only once. If the message
 * listed a record twice, the server would require this record twice in the record set
 * (RFC 2136 3.2.5). Owner names are compressed, but names in rdata are not.
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
	/*
	 * maximum number of octets of updates that fit in a message, for any zone and key
	 */
	UPDATE_WIRE_ROOM = PACKET_MAX - 1024,
};

struct update_message {
	const struct name *zone;
	const struct update *const *updates;
	size_t count;
	const struct tsig_key *key;	/* signs the message; NULL: no signature */
	/*
	 * The server has accepted this key before. If a known key has no permission, Knot
	 * answers with BADKEY. If the MAC is wrong, Knot answers with BADSIG. So BADKEY
	 * for a known key means OUTCOME_POLICY.
	 */
	bool is_known_key;
	uint16_t id;
	uint64_t now;			/* unix seconds */
	/* number of seconds by which the clock of the server is ahead of `now` */
	int64_t ahead_s;
};

/* The values with which update_wire_outcome() checks the answer. */
struct update_sent {
	struct sent_message request;
	bool is_known_key;
	int64_t ahead_s;
};

/*
 * Returns the maximum size of an update in a message. In a message with several updates,
 * the update can be smaller.
 */
struct batch_size update_wire_size(const struct update *update);
/*
 * Writes the message to DATA, which has PACKET_MAX octets. Sets *sent for
 * update_wire_outcome(). Returns the length of the message, or 0 if DATA has no room for
 * the message.
 */
size_t update_wire_put(const struct update_message *message, struct update_sent *sent,
                       uint8_t *data);
/*
 * Reads the answer in DATA, and returns the outcome of all updates in the message. *why
 * contains the text to print after the name of the server, or "" if the outcome is
 * APPLIED. If zonefleet-ownership cannot trust the answer, the outcome is AGAIN.
 */
enum outcome update_wire_outcome(const struct update_sent *sent, const uint8_t *data,
                                 size_t len, uint64_t now, struct why *why);
