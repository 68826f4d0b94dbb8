/*
 * rpc_private -- declarations that only the files of the rpc server use.
 *
 * rpc_server.c opens the server. rpc_receive.c makes a job from a delivery, rpc_run.c
 * runs the handler, and rpc_finish.c sends the answer and acknowledges the request. A
 * job that waits is in the queue of waiting jobs (`head`) or in the redo queue. A
 * finished job returns to the pool of jobs (rpc_job.c).
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

/* A request, from the delivery to the acknowledgement. */
struct job {
	/* link in the redo queue; must be the first member */
	struct redo_entry entry;
	struct redo redo;
	struct job *next;	/* link in the queue of waiting jobs, or in the pool */
	struct request req;
	struct envelope_request envelope;
	struct broker_delivery delivery;
	struct buf body;	/* body of a cast; a retry publishes this body again */
	/* if two arguments form the subject: the text of entry.subject */
	char *subject;
	/* NULL: a check failed, and `err` is the error */
	const struct rpc_method *method;
	/* number of processes that crashed while they ran the request */
	int deaths;
	bool is_refused;	/* true: trust_authorize() refused the request */
	/* true: trust_authorize() refused the request, and only the fleet may send it */
	bool is_forged;
	struct trust_verdict verdict;
	enum err err;
	char unique_id[ID_LEN + 1];
	/* id of the message for poison.h; each delivery of the message has the same id */
	char poison_id[ID_LEN + 1];
	/* hash of the received message, to detect a duplicate */
	uint64_t hash;
	char user[256];		/* broker account of the sender; "": unknown */
	int64_t arrived_us;
	int64_t heartbeat_ms;	/* time of the next heartbeat; 0: no heartbeat */
};

/*
 * A recent request. The server compares each new message with the recent requests, to
 * detect a duplicate. Messages with the same id are not duplicates if their reply queues
 * differ: a caller that lost its reply queue sends the call again with the same id.
 * Messages with the same id but different texts are also not duplicates. In both cases,
 * the server handles the second message like any other message. A handler that stores
 * answers can refuse the second message (rpc_digest.h).
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
	/* true: only the fleet may call the methods */
	bool is_fleet_only;
	size_t max_bytes;
	/* starts the next slice of work (rpc_run_waiting()) */
	struct loop_timer *again;
	struct loop_timer *heartbeat;
	struct job *head, **tail;		/* queue of waiting jobs */
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
	struct caller_scan caller;	/* scans a body that is not a valid request */
	struct log_limit failed;	/* limits the log lines of failed requests */
};

/* ---- rpc_job.c ---- */

/*
 * True: the job is a duplicate of a recent request. False: the job is not a duplicate,
 * and the server now remembers its message, if the message has a unique id. A message
 * that the broker delivers again is not a duplicate.
 */
bool rpc_job_is_duplicate(struct rpc_server *server, const struct job *job);
/*
 * Removes the message of the job from the recent requests. So the message does not count
 * as a duplicate if it arrives again.
 */
void rpc_job_forget(struct rpc_server *server, const struct job *job);
/* Takes a job from the pool. If the pool is empty, makes a new job. */
struct job *rpc_job_take(struct rpc_server *server);
/* Puts a finished job into the pool, or frees the job. */
void rpc_job_release(struct rpc_server *server, struct job *job);
/* Frees the pool. */
void rpc_jobs_free(struct rpc_server *server);
/* Returns the subject of the request (rpc_method.subject); NULL: unknown. */
const char *rpc_job_subject(struct job *job);
/*
 * Returns the subject of the request for the log. If there is no subject, returns the
 * name of the object in the first argument. "": the first argument names no object.
 */
const char *rpc_job_about(const struct job *job);

/* ---- rpc_receive.c ---- */

/*
 * The hook discarded_part of the server (broker.h). Scans the next bytes of a body that
 * is too large, to find the caller.
 */
void rpc_receive_part(void *self, const void *bytes, size_t len);
/*
 * The hook delivery of the server (broker.h). Makes a job from the delivery and adds the
 * job to the queue, or refuses the delivery.
 */
void rpc_receive_delivery(void *self, const struct broker_delivery *delivery);

/* ---- rpc_run.c ---- */

/* Adds the job at the end of the queue. */
void rpc_run_add(struct rpc_server *server, struct job *job);
/*
 * A callback, which gets the server as SELF. Runs waiting jobs. After 2 ms (SLICE_MS),
 * starts no further job. If jobs still wait, sets a timer that calls rpc_run_waiting()
 * again.
 */
void rpc_run_waiting(void *self);
/*
 * A callback, which gets the server as SELF. Moves the jobs whose pause is over from the
 * redo queue to the head of the queue of waiting jobs, and calls rpc_run_waiting().
 */
void rpc_run_redo(void *self);
/*
 * Releases all waiting jobs of both queues. The broker delivers the messages of these
 * jobs again.
 */
void rpc_run_drop(struct rpc_server *server);

/* ---- rpc_finish.c ---- */

/*
 * Ends a job according to job->err, and releases the job. For a call, sends an answer.
 * For a cast without an error, acknowledges the message. For a cast with an error,
 * repeats the cast later, drops it, or makes a dead letter.
 */
void rpc_finish(struct rpc_server *server, struct job *job);
/*
 * Makes a dead letter from the message. A server with fanout_only drops the message
 * instead.
 */
void rpc_finish_dead_letter(struct rpc_server *server,
                            const struct broker_delivery *delivery, const char *reason);

/* ---- rpc_heartbeat.c ---- */

/* If the caller of JOB wants heartbeats, starts the timer of the heartbeats. */
void rpc_heartbeat_watch(struct rpc_server *server, const struct job *job);
/*
 * A callback, which gets the server as SELF. Sends the heartbeats that are due to the
 * callers of waiting jobs.
 */
void rpc_heartbeat(void *self);
