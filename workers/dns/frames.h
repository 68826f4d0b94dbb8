/*
 * frames -- DNS messages in a stream over TCP or TLS: each message follows its length in
 * two octets (RFC 1035 4.2.2), and messages follow each other (RFC 7766 6.2.1.1). The
 * stream comes in parts that may end anywhere, also within a length. The cuts do not
 * change the messages.
 *
 * Octets stay here until the reader takes their message, so it limits them by the size
 * of its reads. A message of zero octets is valid here. The server decides what to do
 * with it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { FRAME_PREFIX = 2 };		/* octets of the length */

void frame_put_prefix(uint8_t *to, size_t len);
/*
 * The number of octets of a frame to read, if DATA has its first LEN octets: the prefix,
 * or the prefix and the message.
 */
size_t frame_wanted(const uint8_t *data, size_t len);

/* The read octets from which the reader takes messages. If zeroed, it is empty. */
struct frames {
	struct buf in;
	size_t taken;			/* taken octets of `in` */
};

void frames_add(struct frames *frames, const void *data, size_t len);
/*
 * Takes the next complete message, of *len octets, or returns NULL. It is valid until
 * frames_add() or frames_drop_taken().
 */
const uint8_t *frames_next(struct frames *frames, size_t *len);
/* True: there is a complete message. */
bool frames_has_next(const struct frames *frames);
/*
 * Frees the taken messages, and all memory if no octet is left. False: there was no
 * taken message.
 */
bool frames_drop_taken(struct frames *frames);
void frames_clear(struct frames *frames);
