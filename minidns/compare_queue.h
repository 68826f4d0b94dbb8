/*
 * compare_queue -- the method compare_zones: compares domains with the zones that name
 * servers serve. It finds a record that was changed by hand under an unchanged serial.
 *
 * mini-DNS reports a difference, and with tell_equal also an equal zone or a refusal. It
 * only counts other outcomes. It does not repeat a failed comparison, because the next
 * round follows. There are two exceptions, each with one repetition. If the server broke
 * off, the comparison runs again after two seconds; if this instance does not know the
 * server or its key yet, after three. If a zone changes during a comparison, the queue
 * repeats the comparison a few times, after the waiting comparisons. It uses only the
 * timeout of the poll's parameters.
 *
 * Eight comparisons run at a time, two for each server; the servers take turns. Each pair
 * of a zone and a server is in the queue once. The queue ends with the process.
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
	void (*released)(void *self);	/* the queue has released a zone of `zones` */
	void *self;
};

struct compare_queue *compare_queue_new(struct loop *loop,
                                        const struct compare_queue_config *config);
/*
 * Stops all comparisons. Then free the lookup and the zones, which call back for some of
 * them.
 */
void compare_queue_end(struct compare_queue *queue);
void compare_queue_free(struct compare_queue **queue);
/*
 * ARGS of "compare_zones". ERR_INVALID: an order is wrong; the queue takes the other
 * orders, and *why has the first reason. ERR_BUSY: it takes no order.
 */
enum err compare_queue_add(struct compare_queue *queue, const json_t *args,
                           struct why *why);
