/*
 * rpc -- named methods over the broker, for servers and clients.
 *
 * A program lists its methods in one table. The files of rpc_private.h do all the rest:
 * envelope, keyword check, redo, reply, retry, dead letters, acknowledgement after the
 * commit, the caller's time limit, the log line, the metrics. A handler reads req->args
 * and may set req->result. It can run twice for one message: req->unique_id is the same
 * then.
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
 * The caller, from the message's context. Without a context the caller has no tenant and
 * no rights.
 */
struct context {
	const char *request_id;	/* the same in the logs of all programs */
	const char *tenant;	/* project_id or tenant; "": none; see runtime/access.h */
	const char *user;
	bool is_admin;		/* may see and change objects of other tenants */
	bool all_tenants;	/* finds are not limited to its tenant */
	bool own_tenant_only;	/* limits an administrator to the things of its tenant */
	const json_t *all;	/* all keys, to pass them on */
};

struct request {
	struct context context;
	const char *method;
	const char *unique_id;	/* 32 hex digits; the same if the message comes twice */
	const json_t *args;		/* borrowed until the handler returns */
	json_t *result;			/* set by the handler; NULL answers null */
	struct arena *arena;		/* freed after the request */
	struct why why;
	bool is_call, redelivered;
	bool is_again;		/* an earlier run may have committed */
	int waited_ms;		/* since it first ended in ERR_LOCKED */
	bool may_wait;		/* for a moment, for the row of its subject */
	int64_t deadline_ms;	/* clock_boot_ms(): end of the caller's limit; 0: none */
};

typedef enum err rpc_handler(void *self, struct request *req);
/*
 * Several waiting requests of one method, with one errs[] each. For group commit, and to
 * merge requests.
 */
typedef void rpc_batch(void *self, struct request *const *reqs, size_t count,
                       enum err *errs);

struct rpc_method {
	const char *name;
	rpc_handler *handler;
	const char *args;	/* "domain serial?": keywords, ? for optional; "*": any */
	rpc_batch *batch;	/* instead of handler */
	/*
	 * The argument that names the row that it locks: a text, or an object with an id.
	 * While a request waits for this row, others with the same subject wait behind
	 * it.
	 */
	const char *subject;
	bool fleet;		/* only programs of the fleet call it: trust.h */
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
	/* only fanout casts: no work queue, and failed casts are dropped */
	bool fanout_only;
	struct trust *trust;		/* NULL: no checks, and no row has .fleet */
	/* the fanout queue is new, so earlier casts were missed; may be NULL */
	void (*fanout_is_new)(void *self);
	void *self;
};

struct rpc_server;
struct broker_config;
struct trust;

/* Before the fork: the metrics of these methods, and those of casts. NULL: casts only. */
void rpc_metrics_init(const struct rpc_method *methods);

/* The server opens a consumer. OUT publishes replies and must outlive the server. */
struct rpc_server *rpc_server_open(struct loop *loop, const struct broker_config *broker,
                                   struct broker *out,
                                   const struct rpc_server_config *config);
/* Why no requests can come, in words; NULL: they can. */
const char *rpc_server_down_reason(const struct rpc_server *server);
void rpc_server_pause(struct rpc_server *server);	/* takes no further requests */
size_t rpc_server_waiting(const struct rpc_server *server);	/* 0 when drained */
void rpc_server_close(struct rpc_server **server);

/* The pure part: find, check keywords, run. Tests and fuzzers call it. */
enum err rpc_dispatch(const struct rpc_method *methods, void *self, struct request *req);
/* ERR_VERSION for a namespace, or for an incompatible version (NULL: "1.0"). */
enum err rpc_check_version(const char *implemented, const char *method,
                           const char *namespace, const char *version, struct why *why);
/* Each table has oslo_rpc_server_ping. A name with _ in front is never found. */
enum err rpc_find(const struct rpc_method *methods, const char *name,
                  const struct rpc_method **found, struct why *why);
/* With the text of Python: "f() missing 1 required keyword argument: 'x'". */
enum err rpc_check_keywords(const struct rpc_method *method, const json_t *args,
                            struct why *why);
/* Runs checked requests: in one batch, or one handler after the other. */
void rpc_run(const struct rpc_method *method, void *self, struct request *const *reqs,
             size_t count, enum err *errs);
/* The error of a deletion: OK if an earlier run may have deleted the object. */
enum err rpc_deleted(const struct request *req, enum err err);
/*
 * ERR_DENIED for an identity that model/identity.h refuses: then *into has no tenant and
 * no rights. Only the JSON value true makes an administrator.
 */
enum err context_decode(const json_t *context, const char *unique_id, struct context *into,
                        struct why *why);
/* A context for the program's own requests. Owned by the caller. */
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

/* OUT publishes. The client opens a consumer for replies at its first call. */
struct rpc_client *rpc_client_open(struct loop *loop, const struct broker_config *broker,
                                   struct broker *out);
/* Signs all later messages, if there is a key. TRUST must outlive the client. */
void rpc_client_sign(struct rpc_client *client, const struct trust *trust);
/* Why no answers can come, in words; NULL: they can. */
const char *rpc_client_down_reason(const struct rpc_client *client);
void rpc_client_close(struct rpc_client **client);

struct rpc_target {
	const char *topic;		/* "central", "pool_manager.default" */
	const char *server;		/* NULL, or the recovery queue: "recovery" */
	bool fanout;
	const char *exchange;		/* NULL: the control exchange */
	const char *version;		/* that the server must support; NULL: any */
	bool agents;			/* agents receive it: fleet.agent_keys sign it */
};

/*
 * Casts are persistent, mandatory (except fanout) and confirmed. If confirm is NULL, a
 * failure is logged. An unroutable cast is sent again for 15 s. Takes no reference on
 * args. Without a context the request has an administrator's rights and a new id.
 */
enum err rpc_cast(struct rpc_client *client, const struct rpc_target *target,
                  const char *method, const json_t *args, const json_t *context,
                  struct why *why);
enum err rpc_cast_confirmed(struct rpc_client *client, const struct rpc_target *target,
                            const char *method, const json_t *args, const json_t *context,
                            void (*confirm)(void *self, enum err err), void *self,
                            struct why *why);
/*
 * Calls ANSWER exactly once, within timeout_ms, and never from within rpc_call(). After a
 * reconnect open calls are sent again with the same unique id. Copies args and context
 * (NULL: as for casts). ERR_UNREACHABLE: no worker serves the topic. ERR_BUSY: too many
 * open calls.
 */
enum err rpc_call(struct rpc_client *client, const struct rpc_target *target,
                  const char *method, const json_t *args, const json_t *context,
                  int timeout_ms, rpc_answer_fn *answer, void *self, struct why *why);
/* Drops all calls of SELF, without an answer. */
void rpc_cancel(struct rpc_client *client, void *self);
/* For the command line: runs the loop until the answer comes. The caller owns *result. */
enum err rpc_call_wait(struct rpc_client *client, struct loop *loop,
                       const struct rpc_target *target, const char *method,
                       const json_t *args, const json_t *context, int timeout_ms,
                       json_t **result, struct why *why);

/* Emits a notification in oslo's format: topic "notifications", priority info. */
enum err rpc_notify(struct rpc_client *client, const char *event_type,
                    const json_t *payload, struct why *why);
