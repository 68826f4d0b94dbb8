/*
 * queue_watch -- figures of work queues, for /metrics: how many messages wait, how many
 * died. The broker is asked by one process, the service's master, every ten seconds, on a
 * lane and a connection of its own; the others show zeroes, so that the sum is right.
 */
#pragma once

#include "consistency/membership.h"

struct queue_watch;
struct runtime;

extern const int queue_watch_period_ms;	/* of the row in a program's timers */

/*
 * Before the fork: TOPICS (ends with NULL, at most four). HAS_RECOVERY: each has a recovery
 * queue, too. RabbitMQ logs an error for each question about a queue that does not exist.
 */
void queue_watch_metrics(const char *const *topics, bool has_recovery);
struct queue_watch *queue_watch_new(const struct membership *fleet,
                                    const struct runtime *runtime);
void queue_watch_fire(struct queue_watch *watch);
void queue_watch_free(struct queue_watch **watch);	/* before the fleet */
