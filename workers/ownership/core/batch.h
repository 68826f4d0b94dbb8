/*
 * batch -- the updates of a plan, several in a message to a server.
 *
 * A server applies a message whole or not at all, and does not say which update it
 * refuses. So the round sends a refused message again in halves, down to the update of
 * one name. If the server takes no update at all, and refuses several single updates by
 * policy or cannot make them, then the updates are not the cause. The batch then gives
 * up the remaining updates.
 *
 * Pure: the caller sends what batch_next() returns and reports the outcome.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/outcome.h"

enum { BATCH_REFUSED_MAX = 8 };		/* refusals before the first accepted update */

struct batch_limits {
	/* limits of a message; a single update may exceed them */
	size_t changes, octets;
};

struct batch_size {
	size_t changes, octets;		/* size of an update */
};

struct batch;

/* SIZES has the sizes of the COUNT updates, in their order. */
struct batch *batch_new(const struct batch_size *sizes, size_t count,
                        const struct batch_limits *limits);
void batch_free(struct batch **batch);

/*
 * The updates of the next message; the same until batch_settle() or batch_give_up().
 * False: all updates have an outcome.
 */
bool batch_next(struct batch *batch, size_t *first, size_t *count);
/*
 * Sets the outcome of this message. After OUTCOME_AGAIN the round sends the message
 * again.
 */
void batch_settle(struct batch *batch, enum outcome outcome);
/* Gives all open updates this outcome: the round has sent the message too often. */
void batch_give_up(struct batch *batch, enum outcome outcome);

enum outcome batch_outcome(const struct batch *batch, size_t update);
