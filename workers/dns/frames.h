/*
 * frames -- messages in a stream, as TCP and TLS carry them: each with two octets before
 * it that say how long it is (RFC 1035 4.2.2), one behind the other (RFC 7766 6.2.1.1).
 * The stream comes in parts that may end anywhere, within a length too, and the same
 * messages must come of it however it is cut.
 *
 * What was read is kept until it was taken, so the reader bounds it by how much it reads
 * at a time. A message of no octets is one: to say nothing to it is the server's part.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { FRAME_PREFIX = 2 };		/* octets of the length */

void frame_put_prefix(uint8_t *to, size_t len);
/*
 * How many octets of a frame are known to be wanted, of which DATA has the first LEN: its
 * prefix, or with it the message.
 */
size_t frame_wanted(const uint8_t *data, size_t len);

/* The part of a stream that was read. Zeroed, it is empty. */
struct frames {
	struct buf in;
	size_t taken;			/* octets of it */
};

void frames_add(struct frames *frames, const void *data, size_t len);
/*
 * The next message that is whole, of *len octets, or NULL; valid until frames_add() or
 * frames_drop_taken().
 */
const uint8_t *frames_next(struct frames *frames, size_t *len);
/* Is there one? */
bool frames_wait(const struct frames *frames);
/* False: none was taken since. When nothing is left no memory is held. */
bool frames_drop_taken(struct frames *frames);
void frames_clear(struct frames *frames);
