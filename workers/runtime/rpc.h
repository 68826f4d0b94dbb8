/*
 * rpc -- remote procedure calls over the broker, for servers and clients.
 *
 * A program lists its methods in one table. The rpc server decodes a message, checks the
 * keywords and runs the handler of the method. After the commit, the rpc server sends
 * the answer and acknowledges the message. The rpc server also applies the caller's time
 * limit, retries requests, makes dead letters, and writes log lines and metrics. A
 * handler reads req->args and may set req->result. A handler can run several times for
 * one message, for example after a race. All of these runs get the same req->unique_id.
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
	/* id of the request, the same in the logs of all programs */
	const char *request_id;
	/*
	 * value of the key project_id of the context; if this key is absent, value of
	 * the key tenant (access.h). "": no tenant
	 */
	const char *tenant;
	const char *user;
	/* true: the caller may see and change objects of other tenants */
	bool is_admin;
	bool all_tenants;	/* true: lists contain the objects of all tenants */
	/* true: an administrator sees only the objects of `tenant` */
	bool own_tenant_only;
	const json_t *all;	/* all keys of the context, to pass them on */
};

/*
 * An object that a request has changed. After the commit, the rpc server writes one line
 * of the log about this object (rpc_log_changed()).
 */
struct changed {
	/*
	 * kind of the object: "domain", "pool", ...; in the line, also the key of the
	 * name
	 */
	const char *kind;
	const char *name;
	/* true: the line contains the serial and the counts */
	bool has_serial;
	/* true: the line contains the counts, even if has_serial is false */
	bool has_counts;
	uint32_t serial;	/* serial after the change */
	/* numbers of records, or of endpoints of a resource */
	int64_t added, updated, deleted;
};

struct request {
	struct context context;
	const char *account;	/* the sender's broker account; "": unknown */
	const char *method;
	/* id of 32 hexadecimal digits; the same if the message arrives twice */
	const char *unique_id;
	/* arguments of the request; borrowed until the handler returns */
	const json_t *args;
	/* result that the handler sets; NULL: the answer is null */
	json_t *result;
	/* object that the handler passed to rpc_changed(); NULL: no object */
	struct changed *changed;
	/* arena for the handler; the server frees it after the request */
	struct arena *arena;
	struct why why;
	bool is_call, redelivered;
	/* true: a key of the fleet or of the agents signed the request */
	bool is_signed;
	/* true: an earlier run of the request has possibly committed */
	bool is_again;
	/* time in milliseconds since a run of the request first ended in ERR_LOCKED */
	int waited_ms;
	/*
	 * true: a statement of the handler may wait for the row of the subject for a
	 * short time, because other processes probably lock this row only for a short
	 * time
	 */
	bool may_wait;
	/* end of the caller's time limit, by clock_boot_ms(); 0: no limit */
	int64_t deadline_ms;
};

typedef enum err rpc_handler(void *self, struct request *req);
/*
 * Handles several waiting requests of one method. Sets an element of errs[] for each
 * request. With a batch, a program can commit several requests together, or merge
 * requests.
 */
typedef void rpc_batch(void *self, struct request *const *reqs, size_t count,
                       enum err *errs);

struct rpc_method {
	const char *name;
	rpc_handler *handler;
	/*
	 * names of the keywords: "domain serial?". A keyword with ? is optional. "*": any
	 * keywords
	 */
	const char *args;
	/*
	 * handles several requests together. If `batch` is set, the server does not use
	 * `handler`
	 */
	rpc_batch *batch;
	/*
	 * The argument that names the row that the handler locks, or two arguments
	 * separated by a blank. The value of each argument is a string, or an object
	 * with an id or a name. "share.domain" is the field `domain` of the argument
	 * `share`. While a request waits for the row, all later requests with the same
	 * subject also wait. If too many requests wait, a later
	 * request ends in ERR_LOCKED.
	 */
	const char *subject;
	/* true: only programs of the fleet may call the method (trust.h) */
	bool fleet;
	/*
	 * true: agents send or receive the messages of this method, so a key of
	 * fleet.agent_keys may sign them
	 */
	bool agents;
};

/* ---- the server ---- */

struct rpc_server_config {
	/* name of the work queue. The fanout exchange is `topic`_fanout */
	const char *topic;
	/* name of a second work queue: "central.recovery". NULL: no second work queue */
	const char *recovery;
	/* all methods; a row of zeroes ends the table */
	const struct rpc_method *methods;
	const char *version;		/* version of the methods: "1.0" */
	int prefetch;
	/* true: the server also handles fanout casts to the topic */
	bool fanout;
	/*
	 * true: the server handles only fanout casts, and has no work queue. The server
	 * drops each cast that fails
	 */
	bool fanout_only;
	/*
	 * NULL: the server does not check the senders. In this case, no row of `methods`
	 * may set `fleet`
	 */
	struct trust *trust;
	/*
	 * The server calls this function each time it has a new fanout queue, because
	 * the server has possibly missed casts. Can be NULL.
	 */
	void (*fanout_is_new)(void *self);
	void *self;
};

struct rpc_server;
struct broker_config;
struct trust;

/*
 * Creates the metric of failed casts. If METHODS is not NULL, also creates the metrics of
 * these methods. Call it before the fork.
 */
void rpc_metrics_init(const struct rpc_method *methods);

/*
 * Opens a server with its own connection to consume requests. OUT publishes the answers
 * and must outlive the server.
 */
struct rpc_server *rpc_server_open(struct loop *loop, const struct broker_config *broker,
                                   struct broker *out,
                                   const struct rpc_server_config *config);
/*
 * Returns the reason why the server cannot receive requests. NULL: the server can receive
 * requests.
 */
const char *rpc_server_down_reason(const struct rpc_server *server);
/* from now on, the server accepts no more requests */
void rpc_server_pause(struct rpc_server *server);
/* Returns the number of requests that are not finished. */
size_t rpc_server_waiting(const struct rpc_server *server);
void rpc_server_close(struct rpc_server **server);

/*
 * Finds the method, checks the keywords and runs the handler. rpc_dispatch() itself does
 * no I/O. Only tests and fuzzers call rpc_dispatch().
 */
enum err rpc_dispatch(const struct rpc_method *methods, void *self, struct request *req);
/*
 * Checks the namespace and the version of a request. ERR_VERSION: the request contains a
 * namespace or an incompatible version. If VERSION is NULL, the version is "1.0".
 */
enum err rpc_check_version(const char *implemented, const char *method,
                           const char *namespace, const char *version, struct why *why);
/*
 * Finds a method by its name in the table METHODS. rpc_find() also finds the method
 * oslo_rpc_server_ping, which every server has. rpc_find() does not find a method whose
 * name begins with an underscore.
 */
enum err rpc_find(const struct rpc_method *methods, const char *name,
                  const struct rpc_method **found, struct why *why);
/*
 * Checks the names of the arguments. Removes optional arguments that are null, because an
 * optional null counts as absent. ERR_ARGUMENTS: an argument is unknown or missing. The
 * error has the text of Python: "f() missing 1 required keyword argument: 'x'".
 */
enum err rpc_take_keywords(const struct rpc_method *method, json_t *args,
                           struct why *why);
/*
 * Runs requests that have passed all checks. If METHOD has a batch function, all requests
 * run in one batch. Otherwise the requests run one after the other.
 */
void rpc_run(const struct rpc_method *method, void *self, struct request *const *reqs,
             size_t count, enum err *errs);
/*
 * Returns the error of a request to delete an object, if the deletion has ended in ERR.
 * If ERR is ERR_NOT_FOUND and an earlier run of this request has possibly deleted the
 * object (req->is_again), the result is OK. Otherwise the result is ERR.
 */
enum err rpc_deleted(const struct request *req, enum err err);
/*
 * Notes in REQ that the handler has changed the object NAME of this KIND. If a request
 * changes several objects, the last call names the object of the log line. Returns the
 * member `changed` of the request, so that the caller can add the serial and the counts.
 * Copies NAME. A handler that repeats a stored answer does not call rpc_changed().
 */
struct changed *rpc_changed(struct request *req, const char *kind, const char *name);
/* If the request has changed an object, writes the log line `KIND changed: ...`. */
void rpc_log_changed(const struct request *req);
/*
 * Fills in INTO from the context of a message. ERR_DENIED: the tenant or the user is not
 * a valid identity (model/identity.h). In this case, INTO has no tenant and no rights.
 * The caller is an administrator only if the key is_admin has the JSON value true.
 */
enum err context_decode(const json_t *context, const char *unique_id,
                        struct context *into, struct why *why);
/* Returns a new context for the program's own requests. The caller owns the context. */
json_t *context_encode(const char *request_id, bool is_admin);

/* ---- the client ---- */

struct rpc_client;

struct rpc_answer {
	enum err err;		/* error of the call, for example ERR_TIMEOUT */
	/* result of the call; borrowed. NULL after an error */
	const json_t *result;
	/* class of a remote exception; "": no remote exception */
	const char *class;
	struct why why;
};
typedef void rpc_answer_fn(void *self, const struct rpc_answer *answer);

/*
 * Opens a client. OUT publishes the requests. With the first rpc_call(), the client opens
 * a connection to consume the answers.
 */
struct rpc_client *rpc_client_open(struct loop *loop, const struct broker_config *broker,
                                   struct broker *out);
/*
 * If TRUST has a key, the client signs all messages from now on, and accepts only signed
 * answers (trust.h). TRUST must outlive the client. After a reload of the keys, call
 * rpc_client_sign() again. In this case, the client sends its open calls again, because
 * servers possibly sign the answers to the earlier copies with an old key.
 */
void rpc_client_sign(struct rpc_client *client, struct trust *trust);
/*
 * The client calls REFUSED each time the broker refuses the reply queue of the client,
 * because of the account, its password or its rights (broker.h). The calls without an
 * answer continue to wait.
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
	/* name of the topic: "central", "pool_manager.default" */
	const char *topic;
	/*
	 * "recovery": the message goes to the recovery queue. NULL: the message goes to
	 * the work queue
	 */
	const char *server;
	bool fanout;
	/* name of the exchange; NULL: the control exchange */
	const char *exchange;
	/* the version that the server must support; NULL: the version "1.0" */
	const char *version;
	/*
	 * true: agents receive the message, so a key of fleet.agent_keys signs the cast
	 */
	bool agents;
};

/*
 * Send a persistent cast. If rpc_cast_confirmed() returns OK, CONFIRM runs once. CONFIRM
 * gets OK if the broker has confirmed the cast. Otherwise CONFIRM gets an error.
 * rpc_cast() has no CONFIRM: it logs the error instead. If the broker cannot route the
 * cast, the client repeats the cast for up to 15 s, unless the cast is a fanout. The
 * client keeps no reference to ARGS. If CONTEXT is NULL, the request has an
 * administrator's rights and a new id.
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
 * client repeats unanswered calls with the same unique id. Copies ARGS and CONTEXT. If
 * CONTEXT is NULL, the request has an administrator's rights and a new id. The answer has
 * the error ERR_UNREACHABLE if no worker serves the topic, or if the broker does not
 * accept the call. ERR_BUSY: too many calls are waiting for answers (the option
 * broker.queue_limit sets the maximum).
 */
enum err rpc_call(struct rpc_client *client, const struct rpc_target *target,
                  const char *method, const json_t *args, const json_t *context,
                  int timeout_ms, rpc_answer_fn *answer, void *self, struct why *why);
/* Cancels all calls of the client with this SELF. ANSWER does not run for these calls. */
void rpc_cancel(struct rpc_client *client, void *self);

/*
 * Sends a notification in the format of oslo.messaging: topic "notifications", priority
 * "info".
 */
enum err rpc_notify(struct rpc_client *client, const char *event_type,
                    const json_t *payload, struct why *why);
