/*
 * queue_watch -- counts the messages, the dead letters and the consumers of work queues,
 * for the metrics. Only the master of the service counts them, every ten seconds. This
 * module has its own lane (thread), with its own connection to the broker. In the other
 * processes, these metrics are zero, so the sum over all processes is correct.
 */
#pragma once

#include "consistency/membership.h"

struct queue_watch;
struct runtime;

extern const int queue_watch_period_ms;	/* period of queue_watch_fire() */

/*
 * Creates the metrics of the queues of TOPICS. Call it before the fork. TOPICS contains
 * at most four topics and ends with NULL. The texts must stay valid. The first topic is
 * the program's own topic. HAS_RECOVERY: each topic also has a recovery queue. RabbitMQ
 * logs an error each time a program asks for a queue that does not exist. So set
 * HAS_RECOVERY only if the recovery queues exist. The master starts to count the queues
 * of another topic 10 s after a process of that service has written its first heartbeat.
 */
void queue_watch_metrics(const char *const *topics, bool has_recovery);
struct queue_watch *queue_watch_new(const struct membership *fleet,
                                    const struct runtime *runtime);
void queue_watch_fire(struct queue_watch *watch);
/* Call it before membership_free(). */
void queue_watch_free(struct queue_watch **watch);
