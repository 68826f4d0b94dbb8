/*
 * batch -- the updates of a plan on their way to a server, several in a message.
 *
 * A server applies a message whole or not at all, and does not say which update it
 * refuses. So a refused message is sent again in halves, down to the update of one name.
 * If the server takes none, and refuses several single ones by policy or cannot do them,
 * the updates are not the cause. The batch then gives up the rest.
 *
 * Pure: the caller sends what batch_next() returns and reports the outcome.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/outcome.h"

enum { BATCH_REFUSED_MAX = 8 };		/* without a taken one */

struct batch_limits {
	size_t changes, octets;		/* of a message; one update may be more */
};

struct batch_size {
	size_t changes, octets;		/* of an update */
};

struct batch;

/* SIZES are of the COUNT updates, in their order. */
struct batch *batch_new(const struct batch_size *sizes, size_t count,
                        const struct batch_limits *limits);
void batch_free(struct batch **batch);

/*
 * The updates of the next message; the same until batch_settle() or batch_give_up().
 * False: all updates have an outcome.
 */
bool batch_next(struct batch *batch, size_t *first, size_t *count);
/* The outcome of that message. With OUTCOME_AGAIN it is sent again. */
void batch_settle(struct batch *batch, enum outcome outcome);
/* Gives all open updates OUTCOME: the message was sent too often. */
void batch_give_up(struct batch *batch, enum outcome outcome);

enum outcome batch_outcome(const struct batch *batch, size_t update);
