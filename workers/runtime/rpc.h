/*
 * rpc -- named methods over the broker, both sides.
 *
 * A program lists what it answers in one table. All that surrounds a handler
 * happens in the files of rpc_private.h: envelope, keyword check, redo, reply,
 * retry, dead letters, acknowledgement after the commit, the caller's time
 * limit, the log line, the metrics. A handler reads req->args and may leave a
 * req->result; it can run twice for one message, and req->unique_id tells that
 * it is the same.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/id.h"

struct broker;
struct loop;

/*
 * Who asks, from the message's context. A message without one is nobody: no tenant, no
 * rights.
 */
struct context {
	const char *request_id;	/* the same in every program's log */
	const char *tenant;	/* project_id, or tenant; "" if none; see runtime/access.h */
	const char *user;
	bool is_admin;		/* may see and change what is not its own */
	bool all_tenants;	/* wants to: finds are not narrowed to its tenant */
	bool own_tenant_only;	/* limits an administrator to the things of its tenant */
	const json_t *all;	/* every key, to be passed on */
};

struct request {
	struct context context;
	const char *method;
	const char *unique_id;	/* 32 hex, the same when the message comes twice */
	const json_t *args;		/* borrowed until the handler returns */
	json_t *result;			/* the handler's gift; NULL answers null */
	struct arena *arena;		/* what is born in the request dies with it */
	struct why why;
	bool is_call, redelivered;
	bool is_again;		/* it ran before, and that may have been committed */
	int waited_ms;		/* since it first ended in ERR_LOCKED */
	bool may_wait;		/* for its subject's row, for a moment; else not at all */
	int64_t deadline_ms;	/* clock_boot_ms(): its caller waits no longer; 0: none */
};

typedef enum err rpc_handler(void *self, struct request *req);
/*
 * Several deliveries of one method that were waiting: one errs[] each. For group commit
 * and collapse.
 */
typedef void rpc_batch(void *self, struct request *const *reqs, size_t count,
                       enum err *errs);

struct rpc_method {
	const char *name;
	rpc_handler *handler;
	const char *args;	/* "domain serial?": keywords, ? for optional; "*": any */
	rpc_batch *batch;	/* instead of handler */
	/*
	 * The argument that names whose row it locks, a text or an object with an id:
	 * while one waits for that row, others about the same wait behind it. NULL: none.
	 */
	const char *subject;
	bool fleet;		/* only the fleet's own programs call it: trust.h */
	bool agents;		/* agents send or receive it: fleet.agent_keys may sign */
};

/* ---- the server ---- */

struct rpc_server_config {
	const char *topic;		/* work queue; also its fanout exchange */
	const char *recovery;	/* a second work queue, "central.recovery"; NULL: none */
	const struct rpc_method *methods;	/* end with a row of zeroes */
	const char *version;		/* "1.0" */
	int prefetch;
	bool fanout;			/* also answers fanout casts to the topic */
	/* nothing but those: without a work queue, and what fails is dropped */
	bool fanout_only;
	struct trust *trust;		/* NULL: everybody is believed, and no row has .fleet */
	/* its fanout queue is new: what was cast meanwhile was missed. NULL: no matter */
	void (*fanout_is_new)(void *self);
	void *self;
};

struct rpc_server;
struct broker_config;
struct trust;

/* Before the fork: the metrics of these methods, and those of casts. NULL: casts only. */
void rpc_metrics_init(const struct rpc_method *methods);

/* OUT publishes replies and outlives the server, which has a consumer of its own. */
struct rpc_server *rpc_server_open(struct loop *loop, const struct broker_config *broker,
                                   struct broker *out,
                                   const struct rpc_server_config *config);
/* Why no requests can come, in words; NULL: they can. */
const char *rpc_server_down_reason(const struct rpc_server *server);
void rpc_server_pause(struct rpc_server *server);	/* take no more */
size_t rpc_server_waiting(const struct rpc_server *server);	/* 0 when drained */
void rpc_server_close(struct rpc_server **server);

/* The pure part: find, check keywords, run. Also what tests and fuzzers call. */
enum err rpc_dispatch(const struct rpc_method *methods, void *self, struct request *req);
/* ERR_VERSION unless there is no namespace and the version (NULL: "1.0") will do. */
enum err rpc_check_version(const char *implemented, const char *method,
                           const char *namespace, const char *version, struct why *why);
/* oslo_rpc_server_ping is found in every table, _private in none. */
enum err rpc_find(const struct rpc_method *methods, const char *name,
                  const struct rpc_method **found, struct why *why);
/* In the words of Python: "f() missing 1 required keyword argument: 'x'". */
enum err rpc_check_keywords(const struct rpc_method *method, const json_t *args,
                            struct why *why);
/* Run requests that passed the checks: one batch, or one handler after the other. */
void rpc_run(const struct rpc_method *method, void *self, struct request *const *reqs,
             size_t count, enum err *errs);
/* How a deletion ended: one that runs again may have deleted what it does not find. */
enum err rpc_deleted(const struct request *req, enum err err);
/*
 * ERR_DENIED for an identity that model/identity.h refuses; *into then has no tenant and
 * no rights. Only the JSON value true makes an administrator.
 */
enum err context_decode(const json_t *context, const char *unique_id, struct context *into,
                        struct why *why);
/* A context of our own, for what a timer starts. Owned by the caller. */
json_t *context_encode(const char *request_id, bool is_admin);

/* ---- the client ---- */

struct rpc_client;

struct rpc_answer {
	enum err err;		/* also ERR_TIMEOUT, ERR_REMOTE, ERR_UNREACHABLE */
	const json_t *result;		/* borrowed; NULL unless OK */
	const char *class;		/* of a remote exception, else "" */
	struct why why;
};
typedef void rpc_answer_fn(void *self, const struct rpc_answer *answer);

/* OUT publishes; the client opens a consumer for its replies at the first call. */
struct rpc_client *rpc_client_open(struct loop *loop, const struct broker_config *broker,
                                   struct broker *out);
/* From now on what it sends is signed, if there is a key. TRUST outlives the client. */
void rpc_client_sign(struct rpc_client *client, const struct trust *trust);
/* Why no answers can come, in words; NULL: they can. */
const char *rpc_client_down_reason(const struct rpc_client *client);
void rpc_client_close(struct rpc_client **client);

struct rpc_target {
	const char *topic;		/* "central", "pool_manager.default" */
	const char *server;		/* NULL, or the recovery queue: "recovery" */
	bool fanout;
	const char *exchange;		/* of others; NULL: the control exchange */
	const char *version;		/* of what they have to serve; NULL: any */
	bool agents;			/* agents receive it: fleet.agent_keys sign it */
};

/*
 * Casts are persistent, mandatory (but for fanout) and confirmed: confirm
 * may be NULL, then a failure is logged. One that no queue takes is offered for 15 s.
 * Takes no reference on args. Without a context it is nobody's request but our own: an
 * administrator's, with a new id.
 */
enum err rpc_cast(struct rpc_client *client, const struct rpc_target *target,
                  const char *method, const json_t *args, const json_t *context,
                  struct why *why);
enum err rpc_cast_confirmed(struct rpc_client *client, const struct rpc_target *target,
                            const char *method, const json_t *args, const json_t *context,
                            void (*confirm)(void *self, enum err err), void *self,
                            struct why *why);
/*
 * Answered exactly once, at the latest after timeout_ms, and never from within. A call
 * that was out when the connection fell is sent again with the same unique id.
 * ERR_UNREACHABLE when nobody serves the topic. Args and context (NULL as of casts) are
 * copied.
 * ERR_BUSY: too many are out.
 */
enum err rpc_call(struct rpc_client *client, const struct rpc_target *target,
                  const char *method, const json_t *args, const json_t *context,
                  int timeout_ms, rpc_answer_fn *answer, void *self, struct why *why);
/* No answer comes for SELF any more. */
void rpc_cancel(struct rpc_client *client, void *self);
/* Runs the loop until the answer is there: for the command line. Result is owned. */
enum err rpc_call_wait(struct rpc_client *client, struct loop *loop,
                       const struct rpc_target *target, const char *method,
                       const json_t *args, const json_t *context, int timeout_ms,
                       json_t **result, struct why *why);

/* Emit a notification: oslo's format, topic "notifications", priority info. */
enum err rpc_notify(struct rpc_client *client, const char *event_type,
                    const json_t *payload, struct why *why);
