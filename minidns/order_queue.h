/*
 * order_queue -- lists of orders, each a NOTIFY and a poll. A message may bring
 * thousands: the queue starts a few in each turn of the loop, so that timers and answers
 * are not late.
 *
 * A list is checked and acknowledged before all its orders are started. If the process
 * dies, the rest is lost like its polls: the pool manager's rows know what is owed.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"

struct announcer;
struct order_queue;
struct loop;
struct notifier;
struct poller;

struct order_queue *order_queue_new(struct loop *loop, struct notifier *notifier,
                                    struct poller *poller, struct announcer *announcer);
void order_queue_free(struct order_queue **queue);
/*
 * ARGS of "propagate_zones", or of "poll_zones": QUIET. ERR_INVALID: an order is wrong;
 * the others are started, and WHY tells the first fault. ERR_BUSY: no order is started.
 * Without destinations the change is only announced to the instances of minidns.
 */
enum err order_queue_add(struct order_queue *queue, const json_t *args, bool quiet,
                         struct why *why);
