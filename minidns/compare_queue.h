/*
 * compare_queue -- the method compare_zones: compares domains with the zones that name
 * servers serve. It finds a record that was changed by hand under an unchanged serial.
 *
 * mini-DNS reports a difference, and with tell_equal also an equal zone or a refusal.
 * Other outcomes are counted. A failed comparison is not repeated: the next round comes.
 * It is repeated once if the server broke off (after two seconds), or if this instance has
 * not read of the server or its key yet (after three). A zone that changes meanwhile is
 * repeated a few times, behind the others. Of the terms only the timeout counts.
 *
 * Eight comparisons run at a time, two for a server; the servers take turns. Each zone
 * and server is in the queue once. The queue ends with the process.
 */
#pragma once

#include <jansson.h>

#include "base/err.h"

struct compare_queue;
struct deltas;
struct dns_requests;
struct figures;
struct zone_lookup;
struct loop;
struct server_report;
struct servers;
struct zones;

struct compare_queue_config {
	const struct figures *figures;
	struct zone_lookup *lookup;
	struct zones *zones;
	struct deltas *deltas;
	struct servers *servers;
	const struct dns_requests *requests;
	void (*report)(void *self, const struct server_report *report);
	void (*released)(void *self);	/* a zone of the zones */
	void *self;
};

struct compare_queue *compare_queue_new(struct loop *loop,
                                        const struct compare_queue_config *config);
/* None goes on. Then the lookup and zones are freed, which owe some of them a callback. */
void compare_queue_end(struct compare_queue *queue);
void compare_queue_free(struct compare_queue **queue);
/*
 * ARGS of "compare_zones". ERR_INVALID: what is wrong with one order holds up no other,
 * and the first reason is told. ERR_BUSY: nothing was taken.
 */
enum err compare_queue_add(struct compare_queue *queue, const json_t *args,
                           struct why *why);
