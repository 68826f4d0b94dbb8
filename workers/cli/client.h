/*
 * client -- calls to the fleet from a program that does one thing at a time. The loop
 * runs only while the client waits for an answer.
 *
 * client_open() waits for the broker. So an unreachable broker and a worker that does
 * not answer give different errors. A window (import.c) sends many calls at once. It
 * keeps the first failure, which client_window_close() returns.
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

/* Borrows both settings. ERR_UNREACHABLE: no broker answered in time. */
enum err client_open(const struct client_config *config,
                     const struct broker_config *broker, struct client **client,
                     struct why *why);
/* Later lists show all tenants. Only for commands of administrators. */
void client_see_all(struct client *client);
void client_close(struct client **client);

/* Makes one call and waits for its answer. Takes ARGS over. The caller frees *result. */
enum err client_call(struct client *client, const char *topic, const char *method,
                     json_t *args, json_t **result, struct why *why);
/* True: a poll that ended in ERR may succeed later, so a wait goes on. */
bool client_may_recover(enum err err);
/* Pauses between two polls. *ms is 0 before the first pause, and grows. */
void client_pause(struct client *client, int *ms);

/*
 * Makes one of many calls. The call leaves at once while fewer than CLIENT_WINDOW calls
 * are open.
 */
enum { CLIENT_WINDOW = 8 };
enum err client_window_call(struct client *client, const char *topic, const char *method,
                            json_t *args, struct why *why);
/* Waits for all answers. */
enum err client_window_close(struct client *client, struct why *why);

/* Fields of an answer. A missing field or a field of another type reads as empty. */
const char *answer_text(const json_t *json, const char *key);
int64_t answer_number(const json_t *json, const char *key);
