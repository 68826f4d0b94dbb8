/*
 * client -- makes calls to the fleet, for a program that waits for the answer to each
 * call. The event loop runs only while the client waits for an answer.
 *
 * client_open() waits for the broker, so an unreachable broker and a worker that does not
 * answer cause different errors. In a window (import.c), the client makes several calls
 * at the same time. client_window_close() returns the first failure of the window.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/option.h"
#include "runtime/broker.h"

struct client_config {
	char *tenant, *user;
	bool admin, all_tenants;
	int timeout_s;
};
extern const struct option client_options[];	/* offsets into struct client_config */

struct client;

/*
 * Borrows both settings. ERR_UNREACHABLE: no broker answered in time, or a broker refused
 * the account.
 */
enum err client_open(const struct client_config *config,
                     const struct broker_config *broker, struct client **client,
                     struct why *why);
/* From now on, a call fails if no answer arrives within SECONDS. */
void client_limit(struct client *client, int seconds);
/*
 * From now on, lists show the objects of all tenants. Only for commands of
 * administrators.
 */
void client_see_all(struct client *client);
void client_close(struct client **client);

/*
 * EXPLAIN gets the reason of each failed call, and may change the reason. SELF must
 * outlive the client.
 */
typedef void client_explain_fn(const void *self, const char *method, struct why *why);
void client_explain(struct client *client, client_explain_fn *explain, const void *self);

/*
 * Makes one call and waits for its answer. Takes over ARGS. The caller frees *result.
 * Returns ERR_UNREACHABLE as soon as the broker refuses the call or the reply queue.
 */
enum err client_call(struct client *client, const char *topic, const char *method,
                     json_t *args, json_t **result, struct why *why);
/*
 * Calls one worker of each topic. All calls run at the same time. ANSWERED runs once for
 * each topic, in the order of the answers. WHY contains the reason if ERR is not OK.
 */
typedef void client_pong_fn(void *self, const char *topic, enum err err,
                            const struct why *why);
void client_ping(struct client *client, char *const *topics, size_t count,
                 client_pong_fn *answered, void *self);
/*
 * Returns the program that serves a topic, for example "poolmgr" for
 * "pool_manager.default". NULL: no program serves the topic.
 */
const char *client_program(const char *topic);
/* True: a check that ended in ERR may succeed later, so the client continues to wait. */
bool client_may_recover(enum err err);
/* True: the broker refused the last call. The broker would also refuse another call. */
bool client_was_refused(const struct client *client);
/*
 * Pauses between two checks. *ms must be 0 before the first pause. Each call increases
 * *ms.
 */
void client_pause(struct client *client, int *ms);

/*
 * Makes one of many calls. If fewer than CLIENT_WINDOW calls are waiting for an answer,
 * the client sends the call immediately. Otherwise the client first waits for an answer.
 */
/* maximum number of open calls; all calls of a window have the same topic and method */
enum { CLIENT_WINDOW = 8 };
enum err client_window_call(struct client *client, const char *topic, const char *method,
                            json_t *args, struct why *why);
/* Waits for all answers. */
enum err client_window_close(struct client *client, struct why *why);

/*
 * Return a field of an answer. If the field is missing or has another type, the result is
 * "" or 0.
 */
const char *answer_text(const json_t *json, const char *key);
int64_t answer_number(const json_t *json, const char *key);
