/*
 * rpc -- remote procedure calls over the broker, for servers and clients.
 *
 * A program lists its methods in one table. The rpc server does everything else. It
 * decodes the message, checks the keywords and runs the handler. After the commit, the
 * rpc server sends the answer and acknowledges the message. The rpc server also applies
 * the caller's time limit, retries requests, makes dead letters, and writes log lines and
 * metrics. A handler reads req->args and may set req->result. A handler may run several
 * times for one message, for example after a race. All of these runs get the same
 * req->unique_id.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/id.h"

struct broker;
struct loop;

/*
 * The caller, according to the message's context. If the message has no context, the
 * caller has no tenant and no rights.
 */
struct context {
	const char *request_id;	/* the same in the logs of all programs */
	const char *tenant;	/* project_id or tenant; "": no tenant; see access.h */
	const char *user;
	bool is_admin;		/* may see and change objects of other tenants */
	bool all_tenants;	/* lists contain the objects of all tenants */
	bool own_tenant_only;	/* limits an administrator to the objects of its tenant */
	const json_t *all;	/* all keys, to pass them on */
};

/*
 * An object that a request has changed. After the commit, the rpc server writes one line
 * of the log about this object (rpc_log_changed()).
 */
struct changed {
	const char *kind;	/* "domain", "pool", ...: also the key of the name */
	const char *name;
	bool has_serial;	/* the line has the serial and the counts of a domain */
	bool has_counts;	/* the line has the counts */
	uint32_t serial;	/* after the change */
	int64_t added, updated, deleted;	/* records, or endpoints of a resource */
};

struct request {
	struct context context;
	const char *account;	/* the sender's broker account; "": unknown */
	const char *method;
	const char *unique_id;	/* 32 hex digits; the same if the message arrives twice */
	const json_t *args;		/* borrowed until the handler returns */
	json_t *result;			/* set by the handler; NULL: the answer is null */
	/* set by rpc_changed(); NULL: the request has changed nothing */
	struct changed *changed;
	struct arena *arena;		/* freed after the request */
	struct why why;
	bool is_call, redelivered;
	bool is_signed;			/* by a key of the fleet or of the agents */
	bool is_again;		/* an earlier run may have committed */
	int waited_ms;		/* time since the request first ended in ERR_LOCKED */
	/*
	 * the handler's statement may wait for a short time for the row of the subject,
	 * because other processes also use this row
	 */
	bool may_wait;
	/* end of the caller's time limit by clock_boot_ms(); 0: no limit */
	int64_t deadline_ms;
};

typedef enum err rpc_handler(void *self, struct request *req);
/*
 * Handles several waiting requests of one method. Sets an element of errs[] for each
 * request. Use it to commit several requests together, or to merge requests.
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
	 * The argument that names the row that the handler locks, or two arguments
	 * separated by a blank. The value of each argument is a string, or an object with
	 * an id. While a request waits for the row, all later requests with the same
	 * subject also wait.
	 */
	const char *subject;
	bool fleet;		/* only programs of the fleet may call it (trust.h) */
	/* agents send or receive this call: a key of fleet.agent_keys may sign it */
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
	struct trust *trust;		/* NULL: no checks; no row may have .fleet */
	/*
	 * Runs when the fanout queue is new, because the server may have missed casts.
	 * May be NULL.
	 */
	void (*fanout_is_new)(void *self);
	void *self;
};

struct rpc_server;
struct broker_config;
struct trust;

/*
 * Call it before the fork. Makes the metrics of casts, and of these methods unless
 * METHODS is NULL.
 */
void rpc_metrics_init(const struct rpc_method *methods);

/* The server opens a consumer. OUT publishes the answers and must outlive the server. */
struct rpc_server *rpc_server_open(struct loop *loop, const struct broker_config *broker,
                                   struct broker *out,
                                   const struct rpc_server_config *config);
/*
 * Returns the reason why the server cannot receive requests. NULL: the server can receive
 * requests.
 */
const char *rpc_server_down_reason(const struct rpc_server *server);
void rpc_server_pause(struct rpc_server *server);	/* accepts no more requests */
/* Returns the number of requests that are not finished. */
size_t rpc_server_waiting(const struct rpc_server *server);
void rpc_server_close(struct rpc_server **server);

/*
 * Finds the method, checks the keywords and runs the handler. rpc_dispatch() itself does
 * no I/O. Only tests and fuzzers call it.
 */
enum err rpc_dispatch(const struct rpc_method *methods, void *self, struct request *req);
/*
 * ERR_VERSION: the request contains a namespace or an incompatible version. A VERSION of
 * NULL means "1.0".
 */
enum err rpc_check_version(const char *implemented, const char *method,
                           const char *namespace, const char *version, struct why *why);
/*
 * Finds a method by its name. Each table also has the method oslo_rpc_server_ping.
 * rpc_find() finds no method whose name begins with _.
 */
enum err rpc_find(const struct rpc_method *methods, const char *name,
                  const struct rpc_method **found, struct why *why);
/*
 * Checks the names of the arguments. Removes optional arguments that are null, because
 * null counts as absent. The error has Python's text: "f() missing 1 required keyword
 * argument: 'x'".
 */
enum err rpc_take_keywords(const struct rpc_method *method, json_t *args,
                           struct why *why);
/* Runs checked requests in one batch, or one after the other. */
void rpc_run(const struct rpc_method *method, void *self, struct request *const *reqs,
             size_t count, enum err *errs);
/*
 * Returns the result of a deletion that ended in ERR. If the object is missing, and an
 * earlier run of this request may have deleted the object, the result is OK. Otherwise
 * the result is ERR.
 */
enum err rpc_deleted(const struct request *req, enum err err);
/*
 * Notes in REQ that the handler has changed an object of this kind. If a request changes
 * several objects, the last call names the object of the log line. Returns the member
 * `changed` of the request, so that the caller can add the serial and the counts. Copies
 * NAME. A handler that repeats a stored answer does not call rpc_changed().
 */
struct changed *rpc_changed(struct request *req, const char *kind, const char *name);
/* Writes the line `KIND changed: ...`, if the request has changed an object. */
void rpc_log_changed(const struct request *req);
/*
 * ERR_DENIED: model/identity.h refuses the tenant or the user. Then *into has no tenant
 * and no rights. Only the JSON value true makes the caller an administrator.
 */
enum err context_decode(const json_t *context, const char *unique_id, struct context *into,
                        struct why *why);
/* Returns a new context for the program's own requests. The caller owns the context. */
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

/* OUT publishes. With the first rpc_call(), the client opens a consumer for answers. */
struct rpc_client *rpc_client_open(struct loop *loop, const struct broker_config *broker,
                                   struct broker *out);
/*
 * If TRUST has a key, the client signs all messages from now on, and accepts only signed
 * answers (trust.h). TRUST must outlive the client. After a reload of the keys, call
 * rpc_client_sign() again. The client then repeats its open calls, because the answers
 * may have an old key.
 */
void rpc_client_sign(struct rpc_client *client, struct trust *trust);
/*
 * The client calls REFUSED each time the broker refuses the reply queue of the client,
 * because of the account, its password or its rights (broker.h). The open calls continue
 * to wait.
 */
void rpc_client_on_refused(struct rpc_client *client,
                           void (*refused)(void *self, const char *reason), void *self);
/*
 * Returns the reason why the client cannot receive answers. NULL: the client can receive
 * answers, or has made no call yet.
 */
const char *rpc_client_down_reason(const struct rpc_client *client);
void rpc_client_close(struct rpc_client **client);

struct rpc_target {
	const char *topic;		/* "central", "pool_manager.default" */
	const char *server;		/* NULL, or the recovery queue: "recovery" */
	bool fanout;
	const char *exchange;		/* NULL: the control exchange */
	/* the version that the server must support; NULL: any */
	const char *version;
	/* agents receive the message: a key of fleet.agent_keys signs it */
	bool agents;
};

/*
 * Sends a persistent cast. CONFIRM gets OK when the broker has confirmed the cast, or an
 * error. rpc_cast() has no CONFIRM and logs an error. If the broker cannot route the
 * cast, the client repeats the cast for 15 s, unless the cast is a fanout. The client
 * keeps no reference to ARGS. If CONTEXT is NULL, the request has an administrator's
 * rights and a new id.
 */
enum err rpc_cast(struct rpc_client *client, const struct rpc_target *target,
                  const char *method, const json_t *args, const json_t *context,
                  struct why *why);
enum err rpc_cast_confirmed(struct rpc_client *client, const struct rpc_target *target,
                            const char *method, const json_t *args, const json_t *context,
                            void (*confirm)(void *self, enum err err), void *self,
                            struct why *why);
/*
 * Sends a call. If rpc_call() returns OK, ANSWER runs once, within timeout_ms, but not
 * before rpc_call() returns. After an error, ANSWER does not run. After a reconnect, the
 * client repeats unanswered calls with the same unique id. Copies ARGS and CONTEXT (NULL:
 * as for casts). The answer has the error ERR_UNREACHABLE if no worker serves the topic,
 * or if the broker does not accept the call. ERR_BUSY: too many calls are waiting for
 * answers (the option broker.queue_limit sets the maximum).
 */
enum err rpc_call(struct rpc_client *client, const struct rpc_target *target,
                  const char *method, const json_t *args, const json_t *context,
                  int timeout_ms, rpc_answer_fn *answer, void *self, struct why *why);
/* Cancels all calls with this SELF. ANSWER does not run for these calls. */
void rpc_cancel(struct rpc_client *client, void *self);

/*
 * Sends a notification in the format of oslo.messaging: topic "notifications", priority
 * "info".
 */
enum err rpc_notify(struct rpc_client *client, const char *event_type,
                    const json_t *payload, struct why *why);
