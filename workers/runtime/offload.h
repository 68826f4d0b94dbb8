/*
 * offload -- work that blocks, done beside the loop.
 *
 * A lane is one thread with a bounded queue: jobs of a lane run one after
 * the other, lanes side by side. work() runs on the lane's thread and must
 * have a deadline of its own; done() runs on the loop afterwards. A job is
 * never lost: it is either refused at once (queue full) or done() is called.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct loop;
struct lane;

typedef void lane_fn(void *job);

/* NAME shows in ps and in the log. LIMIT jobs may wait behind the one in hand. */
struct lane *lane_new(struct loop *loop, const char *name, size_t limit);
/* false: the queue is full (nothing is called). */
bool lane_submit(struct lane *lane, lane_fn *work, lane_fn *done, void *job);
size_t lane_waiting(const struct lane *lane);	/* and running: done() is yet to come */
/*
 * Waits for the running job; done() of all waiting ones is called without work().
 * Allowed in done(); a job submitted meanwhile is refused.
 */
void lane_free(struct lane **lane);
/* In done(): was work() run, or was the lane closed before? */
bool lane_job_ran(const struct lane *lane);
