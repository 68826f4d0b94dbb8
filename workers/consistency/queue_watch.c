#include "consistency/queue_watch.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "consistency/store_members.h"
#include "runtime/broker_admin.h"
#include "runtime/metrics.h"
#include "runtime/offload.h"
#include "runtime/tx.h"
#include "runtime/worker.h"

enum {
	TOPICS_MAX = 4,
	/* a process has declared its queues so long after its first heartbeat */
	DECLARED_AFTER_S = 10,
};

const int queue_watch_period_ms = 10 * 1000;

static struct watched {
	const char *topic;	/* borrowed */
	char *queue;
	bool has_run;		/* the queue exists, because its service has run */
	struct metric *ready, *delayed, *dead, *consumers;
} watched[2 * TOPICS_MAX];
static size_t watched_count;

struct queue_watch {
	const struct membership *fleet;
	struct db *db;
	struct lane *lane;
	struct broker_config config;
	struct broker_admin *broker;
};

/* ---- metrics ---- */

static struct metric *queue_gauge(const char *name, const char *help, const char *queue)
{
	return metric_new(METRIC_GAUGE, name, help, "queue", queue);
}

static void queue_watch_add(const char *topic, char *queue, bool is_own)
{
	watched[watched_count++] = (struct watched){
		.topic = topic,
		.queue = queue,
		.has_run = is_own,
		.ready = queue_gauge("queue_ready", "messages that are waiting for a "
		                     "process. The master counts the messages every ten "
		                     "seconds", queue),
		.delayed = queue_gauge("queue_delayed", "messages that are waiting for "
		                       "a retry. Each message waits at most 8 s", queue),
		.dead = queue_gauge("queue_dead_letters", "dead letters that are "
		                    "waiting for the operator", queue),
		.consumers = queue_gauge("queue_consumers", "processes that take "
		                         "messages from the queue", queue),
	};
}

void queue_watch_metrics(const char *const *topics, bool has_recovery)
{
	for (size_t i = 0; topics[i]; i++) {
		bug_if(i == TOPICS_MAX);
		queue_watch_add(topics[i], xstrdup(topics[i]), i == 0);
		if (has_recovery)
			queue_watch_add(topics[i], xprintf("%s.recovery", topics[i]),
			                i == 0);
	}
}

static void watched_show(const struct watched *of, const struct broker_admin_depth *depth)
{
	metric_set(of->ready, depth->work.messages);
	metric_set(of->delayed, depth->delayed);
	metric_set(of->dead, depth->dead.messages);
	metric_set(of->consumers, depth->work.consumers);
}

/* ---- on the lane's thread ---- */

static void queue_watch_show_nothing(void)
{
	for (size_t i = 0; i < watched_count; i++)
		watched_show(&watched[i], &(struct broker_admin_depth){ .delayed = 0 });
}

static enum err queue_watch_count(struct queue_watch *watch, struct why *why)
{
	enum err err = broker_admin_connect(watch->broker, why);

	for (size_t i = 0; !err && i < watched_count; i++) {
		struct broker_admin_depth depth;

		if (!watched[i].has_run)
			continue;
		err = broker_admin_depth(watch->broker, watched[i].queue, &depth, why);
		if (!err)
			watched_show(&watched[i], &depth);
	}
	return err;
}

/* Other code reports an unreachable broker; here the last values stay. */
static void queue_watch_run(void *self)
{
	struct queue_watch *watch = self;
	bool is_mine = membership_is_master(watch->fleet);
	struct why why;
	enum err err = is_mine ? queue_watch_count(watch, &why) : OK;

	if (err)
		log_debug("messages in the queues not counted: reason=\"%s\"", why.text);
	if (!is_mine)
		queue_watch_show_nothing();
	if (err || !is_mine)
		broker_admin_disconnect(watch->broker);
}

/* ---- on the loop ---- */

static void queue_watch_ended(void *self)
{
	(void)self;
}

/* The lane is idle, so it does not read `has_run` now. */
static void queue_watch_find_services(const struct queue_watch *watch)
{
	struct why why;
	struct tx tx = tx_autocommit(watch->db, &why);

	for (size_t i = 0; i < watched_count; i++)
		if (!watched[i].has_run)
			watched[i].has_run = store_members_has_run(&tx, watched[i].topic,
			                                           DECLARED_AFTER_S);
	if (tx_commit(&tx))
		log_debug("cannot read which services exist: reason=\"%s\"", why.text);
}

void queue_watch_fire(struct queue_watch *watch)
{
	if (!watched_count || lane_waiting(watch->lane))
		return;
	if (membership_is_master(watch->fleet))
		queue_watch_find_services(watch);
	lane_submit(watch->lane, queue_watch_run, queue_watch_ended, watch);
}

struct queue_watch *queue_watch_new(const struct membership *fleet,
                                    const struct runtime *runtime)
{
	struct queue_watch *watch = xcalloc(1, sizeof(*watch));

	watch->fleet = fleet;
	watch->db = runtime->db;
	watch->config = *runtime->broker_config;
	watch->config.heartbeat_s = 0;
	watch->broker = broker_admin_new(&watch->config);
	watch->lane = lane_new(runtime->loop, "queues", 1);
	return watch;
}

void queue_watch_free(struct queue_watch **watch)
{
	if (!*watch)
		return;
	broker_admin_cancel((*watch)->broker);
	lane_free(&(*watch)->lane);
	broker_admin_close(&(*watch)->broker);
	free(*watch);
	*watch = NULL;
}
