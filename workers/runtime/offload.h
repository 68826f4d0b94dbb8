/*
 * offload -- runs blocking work on threads beside the loop.
 *
 * A lane is one thread with a bounded queue. Jobs of a lane run one after the other,
 * lanes run in parallel. work() runs on the lane's thread and must have its own deadline;
 * done() runs on the loop afterwards. A job is never lost: either it is refused at once
 * (queue full), or done() is called.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct loop;
struct lane;

typedef void lane_fn(void *job);

/* NAME is shown in ps and in the log. LIMIT jobs may wait behind the running one. */
struct lane *lane_new(struct loop *loop, const char *name, size_t limit);
/* False: the queue is full, and neither function is called. */
bool lane_submit(struct lane *lane, lane_fn *work, lane_fn *done, void *job);
size_t lane_waiting(const struct lane *lane);	/* jobs before their done() */
/*
 * Waits for the running job. Waiting jobs get done() without work(). May be called in
 * done(). A job that is submitted meanwhile is refused.
 */
void lane_free(struct lane **lane);
/* For done(): true if work() ran; false if the lane was freed before. */
bool lane_job_ran(const struct lane *lane);
