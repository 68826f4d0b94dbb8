/*
 * rpc -- named methods over the broker, for servers and clients.
 *
 * A program lists its methods in one table. The files of rpc_private.h do all else:
 * envelope, check of keywords, redo, reply, retry, dead letters, acknowledgement after
 * the commit, the caller's time limit, the log line, the metrics. A handler reads
 * req->args and may set req->result. It may run twice for one message; then
 * req->unique_id is the same.
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
	const char *tenant;	/* project_id or tenant; "": no tenant; see access.h */
	const char *user;
	bool is_admin;		/* may see and change objects of other tenants */
	bool all_tenants;	/* finds are not limited to its tenant */
	bool own_tenant_only;	/* limits an administrator to the objects of its tenant */
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
	int waited_ms;		/* since the request first ended in ERR_LOCKED */
	/* the statement may wait a moment for the row of its subject, which is in demand */
	bool may_wait;
	/* clock_boot_ms(): end of the caller's limit; 0: no limit */
	int64_t deadline_ms;
};

typedef enum err rpc_handler(void *self, struct request *req);
/*
 * Handles several waiting requests of one method, each with its own element of errs[].
 * Used for group commit, and to merge requests.
 */
typedef void rpc_batch(void *self, struct request *const *reqs, size_t count,
                       enum err *errs);

struct rpc_method {
	const char *name;
	rpc_handler *handler;
	/* "domain serial?": keywords, ? for an optional keyword; "*": any keywords */
	const char *args;
	rpc_batch *batch;	/* instead of handler */
	/*
	 * The argument that names the row that the handler locks, or two arguments with a
	 * blank between them. Each is a text, or an object with an id. While a request
	 * waits for this row, other requests with the same subject wait behind it.
	 */
	const char *subject;
	bool fleet;		/* only programs of the fleet may call it (trust.h) */
	/* agents send or receive it: a key of fleet.agent_keys may sign it */
	bool agents;
};

/* ---- the server ---- */

struct rpc_server_config {
	const char *topic;		/* work queue; also its fanout exchange */
	/* a second work queue, "central.recovery"; NULL: no such queue */
	const char *recovery;
	const struct rpc_method *methods;	/* end with a row of zeroes */
	const char *version;		/* "1.0" */
	int prefetch;
	bool fanout;			/* also handles fanout casts to the topic */
	/* only fanout casts: no work queue; the server drops failed casts */
	bool fanout_only;
	struct trust *trust;		/* NULL: no checks; then no row has .fleet */
	/* the fanout queue is new, so earlier casts were missed; may be NULL */
	void (*fanout_is_new)(void *self);
	void *self;
};

struct rpc_server;
struct broker_config;
struct trust;

/*
 * Call it before the fork. Makes the metrics of these methods and of casts. NULL: casts
 * only.
 */
void rpc_metrics_init(const struct rpc_method *methods);

/* The server opens a consumer. OUT publishes replies and must outlive the server. */
struct rpc_server *rpc_server_open(struct loop *loop, const struct broker_config *broker,
                                   struct broker *out,
                                   const struct rpc_server_config *config);
/* Why the server cannot receive requests, as text; NULL: it can. */
const char *rpc_server_down_reason(const struct rpc_server *server);
void rpc_server_pause(struct rpc_server *server);	/* takes no further requests */
size_t rpc_server_waiting(const struct rpc_server *server);	/* 0 when drained */
void rpc_server_close(struct rpc_server **server);

/*
 * The pure part: finds the method, checks the keywords, runs it. Tests and fuzzers call
 * it.
 */
enum err rpc_dispatch(const struct rpc_method *methods, void *self, struct request *req);
/* ERR_VERSION for a namespace, or for an incompatible version (NULL: "1.0"). */
enum err rpc_check_version(const char *implemented, const char *method,
                           const char *namespace, const char *version, struct why *why);
/* Each table also has oslo_rpc_server_ping. Finds no name with a leading _. */
enum err rpc_find(const struct rpc_method *methods, const char *name,
                  const struct rpc_method **found, struct why *why);
/* The error has Python's text: "f() missing 1 required keyword argument: 'x'". */
enum err rpc_check_keywords(const struct rpc_method *method, const json_t *args,
                            struct why *why);
/* Runs checked requests: in one batch, or one after the other. */
void rpc_run(const struct rpc_method *method, void *self, struct request *const *reqs,
             size_t count, enum err *errs);
/*
 * The result of a deletion: OK if an earlier run of this request may have deleted the
 * object.
 */
enum err rpc_deleted(const struct request *req, enum err err);
/*
 * ERR_DENIED: model/identity.h refuses the identity; then *into has no tenant and no
 * rights. Only the JSON value true makes the caller an administrator.
 */
enum err context_decode(const json_t *context, const char *unique_id, struct context *into,
                        struct why *why);
/* Makes a context for the program's own requests. The caller owns it. */
json_t *context_encode(const char *request_id, bool is_admin);

/* ---- the client ---- */

struct rpc_client;

struct rpc_answer {
	enum err err;		/* also ERR_TIMEOUT, ERR_REMOTE, ERR_UNREACHABLE */
	const json_t *result;		/* borrowed; NULL unless OK */
	const char *class;		/* class of a remote exception, otherwise "" */
	struct why why;
};
typedef void rpc_answer_fn(void *self, const struct rpc_answer *answer);

/* OUT publishes. The client opens a consumer for replies at its first call. */
struct rpc_client *rpc_client_open(struct loop *loop, const struct broker_config *broker,
                                   struct broker *out);
/* From now on signs all messages, if TRUST has a key. TRUST must outlive the client. */
void rpc_client_sign(struct rpc_client *client, const struct trust *trust);
/* Why the client cannot receive answers, as text; NULL: it can. */
const char *rpc_client_down_reason(const struct rpc_client *client);
void rpc_client_close(struct rpc_client **client);

struct rpc_target {
	const char *topic;		/* "central", "pool_manager.default" */
	const char *server;		/* NULL, or the recovery queue: "recovery" */
	bool fanout;
	const char *exchange;		/* NULL: the control exchange */
	/* the version that the server must support; NULL: any */
	const char *version;
	/* agents receive it: a key of fleet.agent_keys signs it */
	bool agents;
};

/*
 * Sends a cast. It is persistent, mandatory (except a fanout) and confirmed. Without
 * CONFIRM it logs a failure. The client repeats an unroutable cast for 15 s. Takes no
 * reference on ARGS. Without a context the request has an administrator's rights and a
 * new id.
 */
enum err rpc_cast(struct rpc_client *client, const struct rpc_target *target,
                  const char *method, const json_t *args, const json_t *context,
                  struct why *why);
enum err rpc_cast_confirmed(struct rpc_client *client, const struct rpc_target *target,
                            const char *method, const json_t *args, const json_t *context,
                            void (*confirm)(void *self, enum err err), void *self,
                            struct why *why);
/*
 * Sends a call. ANSWER runs exactly once, within timeout_ms, and never from within
 * rpc_call(). After a reconnect the client repeats open calls with the same unique id.
 * Copies ARGS and CONTEXT (NULL: as for casts). ERR_UNREACHABLE: no worker serves the
 * topic. ERR_BUSY: too many calls are open.
 */
enum err rpc_call(struct rpc_client *client, const struct rpc_target *target,
                  const char *method, const json_t *args, const json_t *context,
                  int timeout_ms, rpc_answer_fn *answer, void *self, struct why *why);
/* Cancels all calls of SELF, without an answer. */
void rpc_cancel(struct rpc_client *client, void *self);
/* For the command line: runs the loop until the answer comes. The caller owns *result. */
enum err rpc_call_wait(struct rpc_client *client, struct loop *loop,
                       const struct rpc_target *target, const char *method,
                       const json_t *args, const json_t *context, int timeout_ms,
                       json_t **result, struct why *why);

/* Emits a notification in oslo's format: topic "notifications", priority info. */
enum err rpc_notify(struct rpc_client *client, const char *event_type,
                    const json_t *payload, struct why *why);
