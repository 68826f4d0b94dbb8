#include "runtime/offload.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "runtime/loop.h"

/*
 * librabbitmq decodes nested tables by recursion. Frames are bounded, and this stack is
 * large enough for the deepest nesting in one frame.
 */
enum { STACK_BYTES = 8 * 1024 * 1024 };

struct job {
	struct job *next;
	lane_fn *work, *done;
	void *job;
	bool ran;
};

struct queue {
	struct job *first, **end;
};

struct lane {
	char name[16];		/* the limit of the kernel */
	struct loop_async *wakeup;
	pthread_t thread;
	pthread_mutex_t mutex;	/* guards the next four members */
	pthread_cond_t changed;
	struct queue waiting, finished;
	bool closing;
	/* used by the loop's thread */
	size_t limit, outstanding;
	bool job_ran;
	bool delivering;	/* lane_deliver() destroys a lane that done() freed */
};

static void job_queue_init(struct queue *queue)
{
	queue->first = NULL;
	queue->end = &queue->first;
}

static void job_queue_put(struct queue *queue, struct job *job)
{
	job->next = NULL;
	*queue->end = job;
	queue->end = &job->next;
}

static struct job *job_queue_take(struct queue *queue)
{
	struct job *job = queue->first;

	if (!job)
		return NULL;
	queue->first = job->next;
	if (!queue->first)
		queue->end = &queue->first;
	return job;
}

/* ---- the thread ---- */

static struct job *lane_next(struct lane *lane)
{
	struct job *job = NULL;

	pthread_mutex_lock(&lane->mutex);
	while (!lane->closing && !(job = job_queue_take(&lane->waiting)))
		pthread_cond_wait(&lane->changed, &lane->mutex);
	pthread_mutex_unlock(&lane->mutex);
	return job;
}

static void lane_finish(struct lane *lane, struct job *job)
{
	job->ran = true;
	pthread_mutex_lock(&lane->mutex);
	job_queue_put(&lane->finished, job);
	pthread_mutex_unlock(&lane->mutex);
	loop_async_send(lane->wakeup);
}

static void *lane_run(void *self)
{
	struct lane *lane = self;
	struct job *job;

	pthread_setname_np(pthread_self(), lane->name);
	while ((job = lane_next(lane))) {
		job->work(job->job);
		lane_finish(lane, job);
	}
	return NULL;
}

/* The thread blocks all signals, because the loop handles them. */
static void lane_start(struct lane *lane)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int error;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&lane->thread, &attr, lane_run, lane);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (error)
		fatal("cannot start a thread: lane=%s reason=\"%s\"", lane->name,
		      strerror(error));
}

/* ---- the loop's side ---- */

static struct job *lane_finished(struct lane *lane)
{
	struct job *job;

	pthread_mutex_lock(&lane->mutex);
	job = job_queue_take(&lane->finished);
	pthread_mutex_unlock(&lane->mutex);
	return job;
}

static void lane_call_done(struct lane *lane, struct job *finished_job)
{
	lane_fn *done = finished_job->done;
	void *job = finished_job->job;

	lane->outstanding--;
	lane->job_ran = finished_job->ran;
	free(finished_job);
	done(job);
}

static void lane_destroy(struct lane *lane)
{
	loop_async_free(&lane->wakeup);
	pthread_cond_destroy(&lane->changed);
	pthread_mutex_destroy(&lane->mutex);
	free(lane);
}

static void lane_deliver(void *self)
{
	struct lane *lane = self;
	struct job *job;

	lane->delivering = true;
	while (!lane->closing && (job = lane_finished(lane)))
		lane_call_done(lane, job);
	lane->delivering = false;
	if (lane->closing)
		lane_destroy(lane);
}

struct lane *lane_new(struct loop *loop, const char *name, size_t limit)
{
	struct lane *lane = xcalloc(1, sizeof *lane);

	snprintf(lane->name, sizeof lane->name, "%s", name);
	lane->limit = limit;
	job_queue_init(&lane->waiting);
	job_queue_init(&lane->finished);
	pthread_mutex_init(&lane->mutex, NULL);
	pthread_cond_init(&lane->changed, NULL);
	lane->wakeup = loop_async_new(loop, lane_deliver, lane);
	lane_start(lane);
	return lane;
}

bool lane_submit(struct lane *lane, lane_fn *work, lane_fn *done, void *job)
{
	struct job *queued;

	if (lane->closing || lane->outstanding > lane->limit)
		return false;
	queued = xcalloc(1, sizeof *queued);
	queued->work = work;
	queued->done = done;
	queued->job = job;
	lane->outstanding++;
	pthread_mutex_lock(&lane->mutex);
	job_queue_put(&lane->waiting, queued);
	pthread_mutex_unlock(&lane->mutex);
	pthread_cond_signal(&lane->changed);	/* the mutex is free now */
	return true;
}

size_t lane_waiting(const struct lane *lane)
{
	return lane->outstanding;
}

bool lane_job_ran(const struct lane *lane)
{
	return lane->job_ran;
}

static void lane_close(struct lane *lane)
{
	pthread_mutex_lock(&lane->mutex);
	lane->closing = true;
	pthread_cond_signal(&lane->changed);
	pthread_mutex_unlock(&lane->mutex);
	pthread_join(lane->thread, NULL);
}

/* *lane stays valid until the end, for lane_job_ran() in done(). */
void lane_free(struct lane **lane)
{
	struct lane *closed = *lane;
	struct job *job;

	if (!closed || closed->closing)
		return;
	lane_close(closed);
	while ((job = job_queue_take(&closed->finished)))
		lane_call_done(closed, job);
	while ((job = job_queue_take(&closed->waiting)))
		lane_call_done(closed, job);
	*lane = NULL;
	if (!closed->delivering)
		lane_destroy(closed);
}
