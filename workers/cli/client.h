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
 * Connects to the broker. The client borrows both settings. ERR_UNREACHABLE: no broker
 * answered in time, or a broker refused the account.
 */
enum err client_open(const struct client_config *config,
                     const struct broker_config *broker, struct client **client,
                     struct why *why);
/*
 * From now on, lists show the objects of all tenants. Only for commands of
 * administrators.
 */
void client_see_all(struct client *client);
void client_close(struct client **client);

/*
 * From now on, the client calls EXPLAIN with the reason of each failed call. EXPLAIN may
 * change the reason. SELF must outlive the client.
 */
typedef void client_explain_fn(const void *self, const char *method, struct why *why);
void client_explain(struct client *client, client_explain_fn *explain, const void *self);

/*
 * Makes one call and waits for the answer. Takes over ARGS. The caller frees the result.
 * Returns ERR_UNREACHABLE as soon as the broker refuses the call or the reply queue.
 */
enum err client_call(struct client *client, const char *topic, const char *method,
                     json_t *args, json_t **result, struct why *why);
/*
 * Sends a ping to one process of each topic. The client sends all pings at the same
 * time. Calls ANSWERED once for each topic, in the order of the answers. WHY contains
 * the reason if ERR is not OK.
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
/* True: ERR is a temporary error, so a client that waits checks again. */
bool client_may_recover(enum err err);
/* True: the broker has refused the last call, so another call is probably useless. */
bool client_was_refused(const struct client *client);
/*
 * Pauses between two checks. MS contains the length of the previous pause, and must
 * contain 0 before the first pause. The first pause takes 20 ms. Each further pause is
 * 1.5 times as long as the previous pause, up to 250 ms.
 */
void client_pause(struct client *client, int *ms);

/*
 * Makes one of many calls. If fewer than CLIENT_WINDOW calls are waiting for an answer,
 * the client sends the call immediately. Otherwise, the client waits for an answer
 * before it sends the call. If an earlier call of the window has failed, the client
 * sends nothing and returns the error of that call.
 */
/*
 * maximum number of calls that wait for an answer; all calls of a window have the same
 * topic and method
 */
enum { CLIENT_WINDOW = 8 };
enum err client_window_call(struct client *client, const char *topic, const char *method,
                            json_t *args, struct why *why);
/*
 * Waits for the answers to all calls of the window. Returns the first error of the
 * window.
 */
enum err client_window_close(struct client *client, struct why *why);

/*
 * These functions return a field of an answer. If the field is missing or has another
 * type, the result is "" or 0.
 */
const char *answer_text(const json_t *json, const char *key);
int64_t answer_number(const json_t *json, const char *key);
