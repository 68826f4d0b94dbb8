/*
 * order_queue -- lists of orders; an order is a NOTIFY and a poll. A message may contain
 * thousands: the queue starts a few in each turn of the loop, so that timers and answers
 * are not late.
 *
 * It checks and acknowledges a list before it has started all its orders. If the process
 * dies, the waiting orders and the polls are lost. The pool manager's rows say which
 * reports are missing. A process that stops hands them over (handover.h).
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"
#include "poller.h"

struct announcer;
struct order_queue;

struct order_queue *order_queue_new(struct loop *loop, struct notifier *notifier,
                                    struct poller *poller, struct announcer *announcer);
void order_queue_free(struct order_queue **queue);
/*
 * ARGS of "propagate_zones", or of "poll_zones" with QUIET. ERR_INVALID: an order is
 * wrong; the queue starts the other orders, and *why has the first reason. ERR_BUSY: it
 * starts no order. mini-DNS only announces a change without destinations to its
 * instances.
 */
enum err order_queue_add(struct order_queue *queue, const json_t *args, bool quiet,
                         struct why *why);
/* Drops the orders that are not started. TAKE gets each of them. */
void order_queue_hand_over(struct order_queue *queue, poller_take *take, void *self);
