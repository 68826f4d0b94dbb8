/*
 * offload -- runs blocking work on threads outside the event loop.
 *
 * A lane is one thread with a bounded queue. The jobs of one lane run one after the
 * other. The jobs of different lanes run in parallel. work() runs on the thread of the
 * lane and must have its own time limit. After work(), done() runs on the event loop.
 * Each job that lane_submit() accepts gets exactly one call of done().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct loop;
struct lane;

typedef void lane_fn(void *job);

/*
 * Starts a lane. ps and the log show the first 15 characters of NAME. At most LIMIT jobs
 * wait while another job runs.
 */
struct lane *lane_new(struct loop *loop, const char *name, size_t limit);
/*
 * Adds a job to the queue. False: the queue is full, or lane_free() is running. In this
 * case, neither WORK nor DONE runs.
 */
bool lane_submit(struct lane *lane, lane_fn *work, lane_fn *done, void *job);
/* Returns the number of jobs whose done() has not run yet. */
size_t lane_waiting(const struct lane *lane);
/*
 * Waits until work() of the running job ends, and ends the lane. lane_free() calls done()
 * for all jobs whose done() has not run yet. For a waiting job, lane_free() calls done()
 * without work(). The lane refuses new jobs. A done() may call lane_free().
 */
void lane_free(struct lane **lane);
/*
 * Call this function only in done(). True: work() of this job has run. False:
 * lane_free() has dropped the job before work().
 */
bool lane_job_ran(const struct lane *lane);
