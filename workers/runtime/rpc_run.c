/*
 * rpc_run -- runs the handlers of the jobs that wait.
 */
#include "runtime/rpc_private.h"

#include "base/clock.h"
#include "base/log.h"
#include "runtime/loop.h"
#include "runtime/poison.h"
#include "runtime/tx.h"

enum {
	BATCH_MAX = 256,	/* requests of one batch call */
	SLICE_MS = 2,		/* handlers run this long before the loop has its turn */
};

/* ---- the queue ---- */

void rpc_run_add(struct rpc_server *server, struct job *job)
{
	job->next = NULL;
	*server->tail = job;
	server->tail = &job->next;
	server->waiting++;
	rpc_heartbeat_watch(server, job);
}

static struct job *run_unlink(struct rpc_server *server, struct job **link)
{
	struct job *job = *link;

	*link = job->next;
	if (!*link)
		server->tail = link;
	server->waiting--;
	return job;
}

/* ---- the next job ---- */

/* True: the row of the job is locked for long, and no further job may wait for it. */
static bool run_is_crowded(const struct rpc_server *server, const struct job *job)
{
	int64_t now_ms = clock_ms(), since_ms = job->redo.locked_ms, known_ms = 0;

	if (job->entry.subject)
		known_ms = locked_subjects_since(&server->locked, job->entry.subject,
		                                 now_ms);
	if (known_ms && (!since_ms || known_ms < since_ms))
		since_ms = known_ms;
	return redo_queue_is_full(&server->redo_queue, since_ms, now_ms);
}

/*
 * A job about the same subject as a waiting job waits behind that job, while there is
 * room.
 */
static bool run_wait_behind(struct rpc_server *server, struct job *job)
{
	struct redo_entry *leader =
	    redo_queue_leader(&server->redo_queue, job->entry.subject);

	if (!job->method || !leader)
		return false;
	if (run_is_crowded(server, (struct job *)leader)) {
		job->err = fail(&job->req.why, ERR_LOCKED,
		                "too many requests are waiting for %.200s: try again "
		                "later",
		                leader->subject);
		rpc_finish(server, job);
		return true;
	}
	job->entry.is_locked = leader->is_locked;
	redo_queue_add(&server->redo_queue, &job->entry, 0);
	return true;
}

static bool run_is_expired(const struct job *job)
{
	return job->req.deadline_ms && clock_boot_ms() >= job->req.deadline_ms;
}

/* True: the job must not run now. */
static bool run_put_aside(struct rpc_server *server, struct job *job)
{
	if (run_is_expired(job)) {
		job->err = fail(&job->req.why, ERR_EXPIRED,
		                "the call %s waited too long: the end of the caller's "
		                "time limit has passed",
		                job->req.method);
		rpc_finish(server, job);
		return true;
	}
	return run_wait_behind(server, job);
}

static struct job *run_take_first(struct rpc_server *server)
{
	while (server->head) {
		struct job *job = run_unlink(server, &server->head);

		if (!run_put_aside(server, job))
			return job;
	}
	return NULL;
}

static bool run_may_share(const struct job *job)
{
	return job->method && job->method->batch && !job->deaths;
}

/*
 * Takes the first waiting job, and all jobs that may share its batch. 0: no job may run.
 */
static size_t run_take_batch(struct rpc_server *server, struct job *jobs[BATCH_MAX])
{
	struct job *first = jobs[0] = run_take_first(server);
	struct job **link = &server->head;
	size_t count = 1;

	if (!first || !run_may_share(first))
		return first != NULL;
	while (*link && count < BATCH_MAX) {
		struct job *job = *link;

		if (job->method != first->method || !run_may_share(job)) {
			link = &job->next;
			continue;
		}
		run_unlink(server, link);
		if (!run_put_aside(server, job))
			jobs[count++] = job;
	}
	return count;
}

/* ---- the run ---- */

/*
 * The latest time limit of a batch. Handlers that share a transaction check each limit.
 */
static int64_t run_latest_deadline(struct job *const *jobs, size_t count)
{
	int64_t latest_ms = 0;

	for (size_t i = 0; i < count; i++) {
		if (!jobs[i]->req.deadline_ms)
			return 0;
		if (jobs[i]->req.deadline_ms > latest_ms)
			latest_ms = jobs[i]->req.deadline_ms;
	}
	return latest_ms;
}

/* Another error does not say whether the row is locked. */
static void run_note_locked(struct rpc_server *server, const struct job *job)
{
	if (job->entry.subject && (!job->err || job->err == ERR_LOCKED))
		locked_subjects_note(&server->locked, job->entry.subject,
		                     job->err == ERR_LOCKED, clock_ms());
}

static void run_job_batch(struct rpc_server *server, struct job *const *jobs,
                          size_t count)
{
	struct request *reqs[BATCH_MAX];
	enum err errs[BATCH_MAX];

	for (size_t i = 0; i < count; i++) {
		const char *subject = jobs[i]->entry.subject;

		reqs[i] = &jobs[i]->req;
		reqs[i]->may_wait = subject &&
		    locked_subjects_may_wait(&server->locked, subject, clock_ms());
		poison_note(jobs[i]->poison_id);
	}
	log_request(jobs[0]->req.context.request_id);
	tx_set_deadline(run_latest_deadline(jobs, count));
	rpc_run(jobs[0]->method, server->config.self, reqs, count, errs);
	tx_set_deadline(0);
	log_request(NULL);
	poison_clear();
	for (size_t i = 0; i < count; i++) {
		jobs[i]->err = errs[i];
		run_note_locked(server, jobs[i]);
	}
}

/*
 * Resets the job to its state before the first run. A run that ended in a race may have
 * committed something; a run that found a row locked has done nothing.
 */
static void run_renew(struct job *job)
{
	arena_reset(job->req.arena);
	json_decref(job->req.result);
	job->req.result = NULL;
	job->req.changed = NULL;
	job->req.why.text[0] = 0;
	if (job->err == ERR_LOCKED)
		job->req.waited_ms = (int)(clock_ms() - job->redo.locked_ms);
	else
		job->req.is_again = true;
	job->err = OK;
}

static void run_set_redo_timer(struct rpc_server *server)
{
	int64_t due_ms = redo_queue_due_ms(&server->redo_queue);
	int64_t left_ms = due_ms - clock_ms();

	if (due_ms < 0)
		loop_timer_cancel(server->redo_timer);
	else
		loop_timer_set(server->redo_timer, left_ms > 0 ? left_ms : 0);
}

/*
 * Lets the job run again soon; other jobs run before. False: the caller must finish it.
 */
static bool run_redo_later(struct rpc_server *server, struct job *job, int64_t run_ms)
{
	bool is_locked = job->err == ERR_LOCKED;
	int64_t now_ms = clock_ms();
	int pause_ms;

	if (err_retry(job->err) != RETRY_NOW)
		return false;
	pause_ms = redo_pause_ms(&job->redo, job->err, run_ms, now_ms, random_u32());
	if (pause_ms < 0 || (is_locked && run_is_crowded(server, job)))
		return false;
	run_renew(job);
	job->entry.is_locked = is_locked;
	redo_queue_add(&server->redo_queue, &job->entry, now_ms + pause_ms);
	return true;
}

/* Puts these jobs before all waiting jobs, because they came earlier. */
static void run_put_first(struct rpc_server *server, struct redo_entry *entry)
{
	struct job *first = (struct job *)entry, **end = &server->head;
	struct job *others = server->head;

	bug_if(!first);
	for (; entry; entry = entry->next) {
		*end = (struct job *)entry;
		end = &(*end)->next;
		server->waiting++;
	}
	*end = others;
	if (!others)
		server->tail = end;
}

static void run_redo_due(struct rpc_server *server, int64_t now_ms)
{
	struct redo_entry *entry;

	while ((entry = redo_queue_take_due(&server->redo_queue, now_ms)))
		run_put_first(server, entry);
	run_set_redo_timer(server);
}

void rpc_run_redo(void *self)
{
	struct rpc_server *server = self;

	run_redo_due(server, clock_ms());
	rpc_run_waiting(server);
}

static void run_next(struct rpc_server *server)
{
	struct job *jobs[BATCH_MAX];
	size_t waiting = server->redo_queue.count;
	size_t count = run_take_batch(server, jobs);
	int64_t started_ms = clock_ms(), run_ms;

	if (count && jobs[0]->method)
		run_job_batch(server, jobs, count);
	run_ms = clock_ms() - started_ms;
	for (size_t i = 0; i < count; i++)
		if (!run_redo_later(server, jobs[i], run_ms))
			rpc_finish(server, jobs[i]);
	if (server->redo_queue.count != waiting)
		run_set_redo_timer(server);
}

/* Runs in slices, so that timers and sockets get their turn. */
void rpc_run_waiting(void *self)
{
	struct rpc_server *server = self;
	int64_t until = clock_ms() + SLICE_MS;

	while (server->head && clock_ms() < until)
		run_next(server);
	if (server->head)
		loop_timer_set(server->again, 0);
}

void rpc_run_drop(struct rpc_server *server)
{
	run_redo_due(server, INT64_MAX);
	while (server->head) {
		struct job *job = run_unlink(server, &server->head);

		rpc_job_forget(server, job);
		rpc_job_release(server, job);
	}
}
