/*
 * batch -- groups the dynamic updates of a plan into messages to a name server.
 *
 * A server applies either the whole message or no part of it. The server does not say
 * which update it refuses. So the batch splits a refused message into halves, and the
 * round sends the halves. The batch repeats this until a message contains only the
 * update of one name. If the server refuses BATCH_REFUSED_MAX messages with one update
 * each before it accepts any message, the cause is not in the updates. In this case, the
 * batch gives up the remaining updates.
 *
 * This module does no I/O: the caller sends the updates that batch_next() returns and
 * reports the outcome.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/outcome.h"

/*
 * number of refused messages with one update after which the batch gives up, if the
 * server has accepted no message
 */
enum { BATCH_REFUSED_MAX = 8 };

struct batch_limits {
	/*
	 * limits of a message with several updates. A message with one update can exceed
	 * these limits.
	 */
	size_t changes, octets;
};

struct batch_size {
	size_t changes, octets;		/* numbers of changes and octets in an update */
};

struct batch;

/*
 * Makes a batch. SIZES contains the sizes of COUNT updates, in the order of the updates.
 */
struct batch *batch_new(const struct batch_size *sizes, size_t count,
                        const struct batch_limits *limits);
void batch_free(struct batch **batch);

/*
 * Finds the updates of the next message. Until the caller calls batch_settle() or
 * batch_give_up(), batch_next() finds the same updates again. False: all updates have an
 * outcome.
 */
bool batch_next(struct batch *batch, size_t *first, size_t *count);
/*
 * Sets the outcome of the updates that batch_next() last found. If the message contains
 * several updates and one of these updates is possibly the cause of the outcome, the
 * function splits the message into halves instead. After OUTCOME_AGAIN, batch_next()
 * finds the same message again.
 */
void batch_settle(struct batch *batch, enum outcome outcome);
/*
 * Gives OUTCOME to all updates that have no outcome yet. The round calls this function
 * in three cases: a message has no known outcome after five attempts, the round must
 * stop, or the lock of the registry has expired.
 */
void batch_give_up(struct batch *batch, enum outcome outcome);

enum outcome batch_outcome(const struct batch *batch, size_t update);
