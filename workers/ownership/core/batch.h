/*
 * batch -- the updates of a plan on their way to a server, several in a message.
 *
 * A server takes a message whole or not at all, and does not say which of the updates in
 * it is to blame. So one that is refused is sent again in halves, until what is refused
 * is the update of one name: a bad one costs some messages more, and keeps none back.
 * But if none is ever taken, and one after the other is refused by policy, or is more
 * than the server can do, it is not about the updates, and the rest is not tried.
 *
 * Pure: the caller sends what batch_next() says, and says what came of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/outcome.h"

enum { BATCH_REFUSED_MAX = 8 };		/* in a row, and none taken */

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
 * The updates that go into the next message, which is the same one until
 * batch_settle() or batch_give_up() was called. False: all have an outcome.
 */
bool batch_next(struct batch *batch, size_t *first, size_t *count);
/* Of that message; with OUTCOME_AGAIN it is the next one once more. */
void batch_settle(struct batch *batch, enum outcome outcome);
/* It was sent too often: all that are open have that OUTCOME. */
void batch_give_up(struct batch *batch, enum outcome outcome);

enum outcome batch_outcome(const struct batch *batch, size_t update);
