/*
 * batch -- groups the dynamic updates of a plan into messages to a name server.
 *
 * A server applies either the whole message or no part of it. The server does not say
 * which update it refuses. So the round splits a refused message into halves and sends
 * the halves. The round repeats this until a message contains only the update of one
 * name. If the server accepts no update at all and refuses several single updates, the
 * cause is not in the updates. The batch then gives up the remaining updates.
 *
 * This module does no I/O: the caller sends the updates that batch_next() returns and
 * reports the outcome.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/outcome.h"

/* maximum number of refused updates before the first accepted update */
enum { BATCH_REFUSED_MAX = 8 };

struct batch_limits {
	/*
	 * limits of a message with several updates; a message with one update may exceed
	 * these limits
	 */
	size_t changes, octets;
};

struct batch_size {
	size_t changes, octets;		/* size of an update */
};

struct batch;

/* SIZES contains the sizes of COUNT updates, in the order of the updates. */
struct batch *batch_new(const struct batch_size *sizes, size_t count,
                        const struct batch_limits *limits);
void batch_free(struct batch **batch);

/*
 * Returns the updates of the next message. Until the caller calls batch_settle() or
 * batch_give_up(), batch_next() returns the same updates again. False: all updates have
 * an outcome.
 */
bool batch_next(struct batch *batch, size_t *first, size_t *count);
/*
 * Sets the outcome of this message. After OUTCOME_AGAIN, batch_next() returns the same
 * message again.
 */
void batch_settle(struct batch *batch, enum outcome outcome);
/*
 * Sets the outcome of all open updates. The round calls this function if it has sent a
 * message too often without an outcome.
 */
void batch_give_up(struct batch *batch, enum outcome outcome);

enum outcome batch_outcome(const struct batch *batch, size_t update);
