/*
 * frames -- DNS messages in a stream over TCP or TLS. A length of two octets precedes
 * each message (RFC 1035 4.2.2). Many messages can follow each other (RFC 7766 6.2.1.1).
 * The stream arrives in parts. A part can end anywhere, even within a length. The
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

enum { FRAME_PREFIX = 2 };		/* size of the length in octets */

void frame_put_prefix(uint8_t *to, size_t len);
/*
 * Returns the number of octets that the caller must read from the start of a frame. DATA
 * contains the first LEN octets of the frame. If LEN is below FRAME_PREFIX, the result is
 * FRAME_PREFIX. If LEN is not below FRAME_PREFIX, the result is the size of the whole
 * frame: the prefix and the message.
 */
size_t frame_wanted(const uint8_t *data, size_t len);

/*
 * The octets of a stream, from which the caller takes the messages. A zeroed struct is
 * empty.
 */
struct frames {
	struct buf in;
	/* number of octets at the start of `in` that the caller has taken */
	size_t taken;
};

void frames_add(struct frames *frames, const void *data, size_t len);
/*
 * Takes the next complete message, and writes its length to LEN. NULL: no message is
 * complete. The message is valid until the next call of frames_add(),
 * frames_drop_taken() or frames_clear().
 */
const uint8_t *frames_next(struct frames *frames, size_t *len);
/* True: frames_next() would return a message. */
bool frames_has_next(const struct frames *frames);
/*
 * Removes the octets of the taken messages. If no octets are left, frees the memory.
 * False: the caller has taken no message.
 */
bool frames_drop_taken(struct frames *frames);
void frames_clear(struct frames *frames);
