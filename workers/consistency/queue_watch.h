/*
 * queue_watch -- metrics of work queues: how many messages wait, and how many are dead
 * letters. Only the master of the service asks the broker, every ten seconds, on its own
 * lane and connection. The other processes show zeroes, so that the sum is correct.
 */
#pragma once

#include "consistency/membership.h"

struct queue_watch;
struct runtime;

extern const int queue_watch_period_ms;	/* the period in a program's table of timers */

/*
 * Call it before the fork. TOPICS ends with NULL and has at most four. HAS_RECOVERY: each
 * topic also has a recovery queue. RabbitMQ logs an error for each query of a queue that
 * does not exist.
 */
void queue_watch_metrics(const char *const *topics, bool has_recovery);
struct queue_watch *queue_watch_new(const struct membership *fleet,
                                    const struct runtime *runtime);
void queue_watch_fire(struct queue_watch *watch);
/* free it before the membership */
void queue_watch_free(struct queue_watch **watch);
