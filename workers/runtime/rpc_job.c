/*
 * rpc_job -- the pool of jobs, the subjects of jobs, and the recent messages that may
 * have a duplicate.
 */
#include "runtime/rpc_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	POOL_MAX = 64,
	POOLED_BODY_MAX = 64 * 1024,
};

/* ---- duplicates ---- */

static struct recent_request *job_find_recent(struct rpc_server *server,
                                              const struct job *job)
{
	const char *queue = job->req.is_call ? job->envelope.reply_queue : "";

	for (size_t i = 0; i < RECENT_MAX; i++)
		if (strcmp(server->recent[i].unique_id, job->unique_id) == 0 &&
		    server->recent[i].hash == job->hash &&
		    strcmp(server->recent[i].reply_queue, queue) == 0)
			return &server->recent[i];
	return NULL;
}

static void job_add_recent(struct rpc_server *server, const struct job *job)
{
	struct recent_request *recent = &server->recent[server->recent_next];

	server->recent_next = (server->recent_next + 1) % RECENT_MAX;
	memcpy(recent->unique_id, job->unique_id, sizeof recent->unique_id);
	recent->hash = job->hash;
	snprintf(recent->reply_queue, sizeof recent->reply_queue, "%s",
	         job->req.is_call ? job->envelope.reply_queue : "");
}

/* A failed message may come again, from the delay queue or from the dead letters. */
void rpc_job_forget(struct rpc_server *server, const struct job *job)
{
	struct recent_request *recent = job_find_recent(server, job);

	if (recent)
		*recent = (struct recent_request){ 0 };
}

/*
 * A publisher that lost its connection sends the same bytes again: a duplicate. A message
 * that the broker delivers again must run: a process may have died in its first run.
 */
bool rpc_job_is_duplicate(struct rpc_server *server, const struct job *job)
{
	if (!job->envelope.unique_id)
		return false;
	if (!job->req.redelivered && job_find_recent(server, job))
		return true;
	job_add_recent(server, job);
	return false;
}

/* ---- jobs ---- */

struct job *rpc_job_take(struct rpc_server *server)
{
	struct job *job = server->pool;

	if (!job) {
		job = xcalloc(1, sizeof *job);
		job->req.arena = arena_new();
		return job;
	}
	server->pool = job->next;
	server->pooled--;
	return job;
}

static void rpc_job_free(struct job *job)
{
	arena_free(&job->req.arena);
	buf_clear(&job->body);
	free(job);
}

void rpc_job_release(struct rpc_server *server, struct job *job)
{
	struct arena *arena = job->req.arena;
	struct buf body = job->body;

	json_decref(job->req.result);
	free(job->subject);
	job->subject = NULL;
	envelope_request_clear(&job->envelope);
	if (server->pooled >= POOL_MAX) {
		rpc_job_free(job);
		return;
	}
	arena_reset(arena);
	if (body.size > POOLED_BODY_MAX)
		buf_clear(&body);
	buf_reset(&body);
	*job = (struct job){ .next = server->pool, .req.arena = arena, .body = body };
	server->pool = job;
	server->pooled++;
}

void rpc_jobs_free(struct rpc_server *server)
{
	while (server->pool) {
		struct job *job = server->pool;

		server->pool = job->next;
		rpc_job_free(job);
	}
}

/* ---- the subject of a job ---- */

/* The name of an object in an argument VALUE, as the sender gave it; NULL: no name. */
static const char *job_subject_name(const json_t *value)
{
	if (json_is_object(value)) {
		const json_t *id = json_object_get(value, "id");

		value = id ? id : json_object_get(value, "name");
	}
	return json_string_value(value);
}

/* NULL: one of the two arguments has no name. */
static const char *job_subject_of_two(struct job *job, const char *first, size_t len,
                                      const char *second)
{
	const char *a = job_subject_name(json_object_getn(job->req.args, first, len));
	const char *b = job_subject_name(json_object_get(job->req.args, second));

	if (!a || !b)
		return NULL;
	job->subject = xprintf("%s %s", a, b);
	return job->subject;
}

const char *rpc_job_subject(struct job *job)
{
	const char *words = job->method ? job->method->subject : NULL;
	const char *space = words ? strchr(words, ' ') : NULL;
	const char *dot = words ? strchr(words, '.') : NULL;

	if (!words)
		return NULL;
	if (space)
		return job_subject_of_two(job, words, (size_t)(space - words), space + 1);
	if (dot)
		return job_subject_name(json_object_get(
			json_object_getn(job->req.args, words, (size_t)(dot - words)),
			dot + 1));
	return job_subject_name(json_object_get(job->req.args, words));
}

const char *rpc_job_about(const struct job *job)
{
	const char *args = job->method ? job->method->args : "";
	const char *name = job->entry.subject;

	args += strspn(args, " ");
	if (!name)
		name = job_subject_name(json_object_getn(job->req.args, args,
		                                         strcspn(args, " ?")));
	return name ? name : "";
}
