/*
 * order_queue -- starts the orders from the pool manager: NOTIFYs and polls. A message
 * can contain thousands of orders. The queue starts at most 128 orders in each turn of
 * the event loop, so that orders do not delay timers and answers.
 *
 * The queue checks and acknowledges a message before it has started all orders of this
 * message. If the process crashes, the waiting orders and the polls are lost. The pool
 * manager finds in its tables which reports are missing. A process that is stopping
 * passes its orders to other processes (handover.h).
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
 * Adds the orders of a message to the queue. ARGS: the arguments of "propagate_zones" or,
 * if QUIET is set, of "poll_zones". If a message of "propagate_zones" has no
 * destinations, mini-DNS only announces the changes in this message to all mini-DNS
 * processes. ERR_INVALID: the arguments are malformed, or an order is not valid. If the
 * arguments are well-formed, the queue starts the valid orders, and *why contains the
 * reason for the first order that is not valid. ERR_BUSY: too many polls are running. In
 * this case, the queue starts no order of the message.
 */
enum err order_queue_add(struct order_queue *queue, const json_t *args, bool quiet,
                         struct why *why);
/* Drops the orders that have not started, and passes each of them to TAKE. */
void order_queue_hand_over(struct order_queue *queue, poller_take *take, void *self);
