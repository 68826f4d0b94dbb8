/*
 * rpc_private -- declarations that only the files of the rpc server use.
 *
 * rpc_server.c opens the server. rpc_receive.c makes a job from a delivery, rpc_run.c
 * runs the handler, and rpc_finish.c sends the answer and acknowledges the request. A
 * waiting job is in the queue (head) or in the redo queue. A finished job returns to the
 * pool of jobs (rpc_job.c).
 */
#pragma once

#include "base/buf.h"
#include "base/id.h"
#include "base/log.h"
#include "runtime/broker.h"
#include "runtime/envelope.h"
#include "runtime/rpc.h"
#include "runtime/rpc_caller.h"
#include "runtime/rpc_redo.h"
#include "runtime/trust.h"

struct loop_timer;
struct replies;
struct rpc_metrics;

enum { RECENT_MAX = 64 };	/* number of recent requests that the server remembers */

/* A request from its delivery to its acknowledgement. */
struct job {
	/* link in the redo queue; must be the first member */
	struct redo_entry entry;
	struct redo redo;
	struct job *next;	/* link while it waits */
	struct request req;
	struct envelope_request envelope;
	struct broker_delivery delivery;
	struct buf body;	/* the body of a cast: a retry publishes it again */
	char *subject;		/* text of entry.subject, if two arguments form it */
	const struct rpc_method *method;	/* NULL: the checks failed, see err */
	/* number of processes that crashed while they ran the request */
	int deaths;
	bool is_refused;	/* trust_authorize() refused the request */
	/* trust_authorize() refused the request, which only the fleet may send */
	bool is_forged;
	struct trust_verdict verdict;
	enum err err;
	char unique_id[ID_LEN + 1];
	char poison_id[ID_LEN + 1];	/* the same for each delivery of the message */
	uint64_t hash;			/* of the message as received */
	char user[256];		/* the account of the delivery */
	int64_t arrived_us;
	int64_t heartbeat_ms;	/* time of the next heartbeat; 0: no heartbeat */
};

/*
 * A recent request, to detect a duplicate. Messages with the same id are not duplicates
 * if their reply queues differ: a caller that lost its reply queue sends the call again
 * with the same id. Messages with the same id but different texts are also not
 * duplicates. In this case, the handler refuses the second message (rpc_digest.h), or the
 * caller of the second message waits for its own answer.
 */
struct recent_request {
	char unique_id[ID_LEN + 1];
	uint64_t hash;
	char reply_queue[256];
};

struct rpc_server {
	struct rpc_server_config config;
	struct broker *in, *out;
	struct broker_queue queues[4];
	bool is_fleet_only;			/* only the fleet may call the methods */
	size_t max_bytes;
	struct loop_timer *again;		/* for the next slice of work */
	struct loop_timer *heartbeat;
	struct job *head, **tail;		/* waiting */
	size_t waiting;
	struct redo_queue redo_queue;
	struct locked_subjects locked;
	struct loop_timer *redo_timer;
	struct job *pool;
	size_t pooled;
	struct replies *replies;
	struct recent_request recent[RECENT_MAX];
	size_t recent_next;
	struct rpc_metrics *metrics;
	struct caller_scan caller;	/* scans a body that is too large */
	struct log_limit failed;	/* limits the log lines of failed requests */
};

/* ---- rpc_job.c ---- */

/*
 * True: the job is a duplicate of a recent request. False: the server remembers the
 * message. A message that the broker delivers again is not a duplicate.
 */
bool rpc_job_is_duplicate(struct rpc_server *server, const struct job *job);
/*
 * Removes this job's message from the recent requests. If the message arrives again, it
 * does not count as a duplicate.
 */
void rpc_job_forget(struct rpc_server *server, const struct job *job);
/* Returns a new job, or a job from the pool. */
struct job *rpc_job_take(struct rpc_server *server);
/* Puts a finished job into the pool, or frees the job. */
void rpc_job_release(struct rpc_server *server, struct job *job);
/* Frees the pool. */
void rpc_jobs_free(struct rpc_server *server);
/* Returns the subject of the request (rpc_method.subject); NULL: unknown. */
const char *rpc_job_subject(struct job *job);
/* Returns the subject of the request, or its first argument; "": unknown. For the log. */
const char *rpc_job_about(const struct job *job);

/* ---- rpc_receive.c ---- */

/* The hook discarded_part of the server: the next bytes of a body that is too large. */
void rpc_receive_part(void *self, const void *bytes, size_t len);
/* The hook delivery of the server. */
void rpc_receive_delivery(void *self, const struct broker_delivery *delivery);

/* ---- rpc_run.c ---- */

/* Adds the job at the end of the queue. */
void rpc_run_add(struct rpc_server *server, struct job *job);
/* A callback; SELF is the server. Runs waiting jobs for a short time. */
void rpc_run_waiting(void *self);
/* A callback; SELF is the server. Runs jobs whose pause is over. */
void rpc_run_redo(void *self);
/* Releases all waiting jobs. The broker delivers their messages again. */
void rpc_run_drop(struct rpc_server *server);

/* ---- rpc_finish.c ---- */

/* Answers, acknowledges and releases a job, according to its err. */
void rpc_finish(struct rpc_server *server, struct job *job);
/*
 * Makes the message a dead letter. A server with fanout_only drops the message instead.
 */
void rpc_finish_dead_letter(struct rpc_server *server,
                            const struct broker_delivery *delivery, const char *reason);

/* ---- rpc_heartbeat.c ---- */

/* Starts the heartbeats that the caller of JOB requested. */
void rpc_heartbeat_watch(struct rpc_server *server, const struct job *job);
/* A callback; SELF is the server. Sends the heartbeats that are due. */
void rpc_heartbeat(void *self);
