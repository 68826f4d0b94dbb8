/*
 * frames -- DNS messages in a stream over TCP or TLS. A length of two octets precedes
 * each message (RFC 1035 4.2.2). Many messages may follow each other (RFC 7766 6.2.1.1).
 * The stream arrives in parts that may end anywhere, even within a length. The
 * boundaries of the parts have no effect on the messages.
 *
 * This module stores the octets of a message until the caller takes the message. The
 * caller limits this memory by the size of its reads. A message of zero octets is valid.
 * The caller decides what to do with such a message.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { FRAME_PREFIX = 2 };		/* octets of the length */

void frame_put_prefix(uint8_t *to, size_t len);
/*
 * Returns how many octets of a frame the caller has to read. DATA contains the first LEN
 * octets of the frame. If LEN is below FRAME_PREFIX, the result is FRAME_PREFIX;
 * otherwise the result is the size of the prefix and the message.
 */
size_t frame_wanted(const uint8_t *data, size_t len);

/* The read octets from which the reader takes messages. A zeroed struct is empty. */
struct frames {
	struct buf in;
	size_t taken;			/* taken octets of `in` */
};

void frames_add(struct frames *frames, const void *data, size_t len);
/*
 * Takes the next complete message, of *len octets, or returns NULL. The message is valid
 * until frames_add() or frames_drop_taken().
 */
const uint8_t *frames_next(struct frames *frames, size_t *len);
/* True: there is a complete message. */
bool frames_has_next(const struct frames *frames);
/*
 * Removes the octets of the taken messages. If no octets are left, frees the memory.
 * False: there was no taken message.
 */
bool frames_drop_taken(struct frames *frames);
void frames_clear(struct frames *frames);
