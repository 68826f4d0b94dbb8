/*
 * queue_watch -- counts the messages and the dead letters of work queues, for the
 * metrics. Only the master of the service counts the messages, every ten seconds. This
 * module has its own lane (thread), with its own connection to the broker. In the other
 * processes, these metrics are zero, so the sum over all processes is correct.
 */
#pragma once

#include "consistency/membership.h"

struct queue_watch;
struct runtime;

extern const int queue_watch_period_ms;	/* the period in a program's table of timers */

/*
 * Call it before the fork. TOPICS contains at most four topics, which must stay valid,
 * and ends with NULL. The first topic is the program's own. HAS_RECOVERY: each topic also
 * has a recovery queue. RabbitMQ logs an error each time a program asks for a queue that
 * does not exist. So set HAS_RECOVERY only if these queues exist. The master begins to
 * count the queues of another topic when a process of that service has run for 10 s.
 */
void queue_watch_metrics(const char *const *topics, bool has_recovery);
struct queue_watch *queue_watch_new(const struct membership *fleet,
                                    const struct runtime *runtime);
void queue_watch_fire(struct queue_watch *watch);
/* call it before membership_free() */
void queue_watch_free(struct queue_watch **watch);
