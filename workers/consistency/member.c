#include "consistency/member.h"

#include <stdlib.h>

#include "base/mem.h"
#include "consistency/heartbeat.h"
#include "consistency/queue_watch.h"

struct member_state {
	struct heartbeat *heartbeat;
	struct queue_watch *queues;
};

static void member_beat(void *self)
{
	heartbeat_fire(((struct member_state *)self)->heartbeat);
}

static void member_count_queues(void *self)
{
	queue_watch_fire(((struct member_state *)self)->queues);
}

static const struct timer member_timers[] = {
	{ "fleet",  &heartbeat_config.period_ms, member_beat },
	{ "queues", &queue_watch_period_ms,      member_count_queues },
	{ 0 }
};

static enum err member_check(struct why *why)
{
	return membership_check(&heartbeat_config, why);
}

static void *member_start(struct runtime *runtime, const char *topic)
{
	struct member_state *self = xcalloc(1, sizeof(*self));

	self->heartbeat = heartbeat_new(topic, runtime->loop, runtime->db_config);
	runtime->membership = heartbeat_membership(self->heartbeat);
	self->queues = queue_watch_new(runtime->membership, runtime);
	return self;
}

static void member_stop(void *self)
{
	struct member_state *own = self;

	queue_watch_free(&own->queues);
	heartbeat_free(&own->heartbeat);
	free(own);
}

const struct worker_part member_part = {
	.section = HEARTBEAT_SECTION,
	.timers = member_timers,
	.check = member_check,
	.metrics = membership_metrics,
	.start = member_start,
	.stop = member_stop,
};
