/*
 * client -- calls to the fleet, from a program that does one thing at a time:
 * the loop runs only while an answer is waited for.
 *
 * client_open() waits for the broker, so that "the broker is away" and "nobody
 * answers" are told apart. Many calls may be out at once through a window
 * (import.c): the first failure is kept, and told when the window is closed.
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

/* Borrows both. ERR_UNREACHABLE: no broker in time. */
enum err client_open(const struct client_config *config,
                     const struct broker_config *broker, struct client **client,
                     struct why *why);
/* From now on lists are of every tenant: for what only administrators ask. */
void client_see_all(struct client *client);
void client_close(struct client **client);

/* One call, one answer. Takes ARGS over; *result is the caller's. */
enum err client_call(struct client *client, const char *topic, const char *method,
                     json_t *args, json_t **result, struct why *why);
/* Between two looks at what takes its time. *ms is 0 before the first, and grows. */
void client_pause(struct client *client, int *ms);

/* The same call many times over: sent at once while fewer than WINDOW are out. */
enum { CLIENT_WINDOW = 8 };
enum err client_window_call(struct client *client, const char *topic, const char *method,
                            json_t *args, struct why *why);
/* Waits until all are answered. */
enum err client_window_close(struct client *client, struct why *why);

/* Fields of an answer; one that is absent or of another type reads as empty. */
const char *answer_text(const json_t *json, const char *key);
int64_t answer_number(const json_t *json, const char *key);
