/*
 * offload -- runs blocking work on threads beside the loop.
 *
 * A lane is one thread with a bounded queue. The jobs of a lane run in turn, lanes run
 * in parallel. work() runs on the lane's thread and must have its own deadline; done()
 * runs on the loop afterwards. No job gets lost: either lane_submit() refuses it (queue
 * full), or done() runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct loop;
struct lane;

typedef void lane_fn(void *job);

/* ps and the log show NAME. LIMIT jobs may wait behind the running job. */
struct lane *lane_new(struct loop *loop, const char *name, size_t limit);
/* False: the queue is full, and neither function runs. */
bool lane_submit(struct lane *lane, lane_fn *work, lane_fn *done, void *job);
size_t lane_waiting(const struct lane *lane);	/* jobs before their done() */
/*
 * Waits for the running job. Waiting jobs get done() without work(). done() may call it.
 * It refuses new jobs meanwhile.
 */
void lane_free(struct lane **lane);
/* For done(): true if work() ran; false if the lane was freed before. */
bool lane_job_ran(const struct lane *lane);
