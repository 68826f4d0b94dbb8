#include "core/batch.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

/* Updates that form a message. */
struct run {
	size_t first, count;
};

/* The stack of halves has at most one run of each length, and one more. */
enum { RUNS_MAX = 8 * sizeof(size_t) + 1 };

struct batch {
	struct batch_size *sizes;
	enum outcome *outcomes;
	/* updates before `begun` have been in a message */
	size_t count, begun;
	struct batch_limits limits;
	struct run runs[RUNS_MAX];
	size_t run_count;
	/* single updates that were refused, since the start */
	size_t refused;
	bool any_taken;
};

struct batch *batch_new(const struct batch_size *sizes, size_t count,
                        const struct batch_limits *limits)
{
	struct batch *batch = xcalloc(1, sizeof(*batch));

	batch->sizes = xmemdup(sizes, count * sizeof(*sizes));
	batch->outcomes = xcalloc(count, sizeof(*batch->outcomes));
	batch->count = count;
	batch->limits = *limits;
	return batch;
}

void batch_free(struct batch **batch)
{
	struct batch *old = *batch;

	*batch = NULL;
	if (!old)
		return;
	free(old->outcomes);
	free(old->sizes);
	free(old);
}

enum outcome batch_outcome(const struct batch *batch, size_t update)
{
	bug_if(update >= batch->count);
	return batch->outcomes[update];
}

static void batch_push(struct batch *batch, size_t first, size_t count)
{
	bug_if(batch->run_count == RUNS_MAX);
	batch->runs[batch->run_count++] = (struct run){ first, count };
}

/* Pushes as many unsent updates as a message has room for. */
static void batch_push_next(struct batch *batch)
{
	const struct batch_limits *limits = &batch->limits;
	size_t changes = 0, octets = 0, at = batch->begun;

	while (at < batch->count) {
		changes += batch->sizes[at].changes;
		octets += batch->sizes[at].octets;
		if (at > batch->begun &&
		    (changes > limits->changes || octets > limits->octets))
			break;
		at++;
	}
	batch_push(batch, batch->begun, at - batch->begun);
	batch->begun = at;
}

bool batch_next(struct batch *batch, size_t *first, size_t *count)
{
	if (!batch->run_count && batch->begun < batch->count)
		batch_push_next(batch);
	if (!batch->run_count)
		return false;
	*first = batch->runs[batch->run_count - 1].first;
	*count = batch->runs[batch->run_count - 1].count;
	return true;
}

static void batch_set_outcome(struct batch *batch, const struct run *run,
                              enum outcome outcome)
{
	for (size_t i = 0; i < run->count; i++)
		batch->outcomes[run->first + i] = outcome;
}

/* Pushes both halves; the first half is sent next. */
static void batch_halve(struct batch *batch, const struct run *run)
{
	size_t half = run->count / 2;

	batch_push(batch, run->first + half, run->count - half);
	batch_push(batch, run->first, half);
}

static bool is_hopeless(struct batch *batch, enum outcome outcome)
{
	if (outcome == OUTCOME_PARKED)
		return true;
	batch->refused += outcome == OUTCOME_POLICY || outcome == OUTCOME_UNABLE;
	return !batch->any_taken && batch->refused == BATCH_REFUSED_MAX;
}

void batch_settle(struct batch *batch, enum outcome outcome)
{
	struct run run;

	bug_if(!batch->run_count || outcome == OUTCOME_OPEN);
	if (outcome == OUTCOME_AGAIN)
		return;
	run = batch->runs[--batch->run_count];
	batch->any_taken = batch->any_taken || outcome == OUTCOME_APPLIED;
	if (run.count > 1 && outcome_is_of_one(outcome)) {
		batch_halve(batch, &run);
		return;
	}
	batch_set_outcome(batch, &run, outcome);
	if (is_hopeless(batch, outcome))
		batch_give_up(batch, outcome == OUTCOME_UNABLE ? OUTCOME_AGAIN
		                                               : OUTCOME_PARKED);
}

void batch_give_up(struct batch *batch, enum outcome outcome)
{
	for (size_t i = 0; i < batch->count; i++)
		if (batch->outcomes[i] == OUTCOME_OPEN)
			batch->outcomes[i] = outcome;
	batch->begun = batch->count;
	batch->run_count = 0;
}
