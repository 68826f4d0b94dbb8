/*
 * update_wire -- updates as a message of RFC 2136, and what the answer to it means.
 *
 * Prerequisites and changes of several names go into one message, which a server takes as
 * a whole or not at all (3.4). It is signed, if there is a key, and then only a signed
 * answer counts, but for those that say that the signature was not taken (RFC 8945 5.3.2).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/batch.h"
#include "core/outcome.h"
#include "core/update.h"
#include "dns/tsig.h"

/* A message on its way. */
struct update_ask {
	uint16_t id;
	bool is_signed;
	struct tsig_chain chain;
};

/* What UPDATE takes in a message, at most. */
struct batch_size update_size(const struct update *update);
/*
 * The message, of at most PACKET_MAX octets, in DATA; KEY may be NULL; NOW: unix seconds.
 * 0: it does not fit.
 */
size_t update_write(struct update_ask *ask, const struct name *zone, uint16_t id,
                    const struct update *const *updates, size_t count,
                    const struct tsig_key *key, uint64_t now, uint8_t *data);
/* WORDS go behind the server's name. What is no answer to it is OUTCOME_AGAIN. */
enum outcome update_read(struct update_ask *ask, const uint8_t *data, size_t len,
                         uint64_t now, const char **words);
/* Wipes the key. */
void update_ask_clear(struct update_ask *ask);
