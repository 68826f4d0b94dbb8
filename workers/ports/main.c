#include "agent.h"
#include "base/log.h"
#include "compare.h"
#include "consistency/heartbeat.h"
#include "consistency/queue_watch.h"
#include "feed.h"
#include "ports.h"
#include "publish.h"
#include "store.h"
#include "telling.h"
#include "watch.h"

static struct ports ports = { .due_period_ms = 1000, .look_period_ms = 2000,
                              .sweep_period_ms = 60 * 1000 };

static const struct option_section sections[] = {
	{ "ports", "names of network ports", ports_options, &ports.settings },
	HEARTBEAT_SECTION,
	{ 0 }
};

static void fleet_fire(void *self)
{
	heartbeat_fire(((struct ports *)self)->heartbeat);
}

static void queues_fire(void *self)
{
	queue_watch_fire(((struct ports *)self)->queues);
}

static void due_fire(void *self)
{
	publisher_fire(((struct ports *)self)->publisher);
}

static void compare_timer_fire(void *self)
{
	compare_fire(((struct ports *)self)->comparison);
}

static void sweep_fire(void *self)
{
	struct ports *own = self;
	struct why why;
	struct tx tx = tx_autocommit(own->runtime.db, &why);

	store_sweep_ports(&tx);
	store_zones_sweep(&tx);
	if (tx_commit(&tx))
		log_warn("rows not swept: reason=\"%s\"", why.text);
}

static void watch_timer_fire(void *self)
{
	watch_fire(((struct ports *)self)->watch);
}

static enum err retry_refused(void *self, struct why *why)
{
	struct ports *own = self;
	struct tx tx = tx_begin(own->runtime.db, why);

	store_retry_refused(&tx);
	return tx_commit(&tx);
}

static enum err find_unused(void *self, struct why *why)
{
	struct ports *own = self;
	struct tx tx = tx_begin(own->runtime.db, why);

	store_zones_unused_due(&tx);
	return tx_commit(&tx);
}

static void retry_fire(void *self)
{
	struct ports *own = self;
	struct why why;

	if (tx_retry_on_loop(retry_refused, own, &why))
		log_warn("refused records not tried again: reason=\"%s\"", why.text);
	if (own->settings.deletes_reverse && tx_retry_on_loop(find_unused, own, &why))
		log_warn("unused domains not looked for: reason=\"%s\"", why.text);
}

static const struct timer timers[] = {
	{ "fleet", &heartbeat_config.period_ms, fleet_fire },
	{ "queues", &queue_watch_period_ms, queues_fire },
	{ "due", &ports.due_period_ms, due_fire },
	{ "sweep", &ports.sweep_period_ms, sweep_fire },
	{ "retry", &ports.settings.retry_ms, retry_fire },
	{ "watch", &ports.look_period_ms, watch_timer_fire },
	{ "compare", &ports.look_period_ms, compare_timer_fire },
	{ 0 }
};

static enum err check(void *self, struct why *why)
{
	const struct ports *own = self;
	enum err err = membership_check(&heartbeat_config, why);

	return err ? err : ports_settings_check(&own->settings, why);
}

static enum err prepare(void *self, int processes, struct why *why)
{
	(void)self, (void)processes, (void)why;
	publish_metrics();
	feed_metrics();
	telling_metrics();
	compare_metrics();
	membership_metrics();
	queue_watch_metrics((const char *const[]){ "ports", NULL }, false);
	return OK;
}

static enum err start(void *self, const struct runtime *runtime, struct why *why)
{
	struct ports *own = self;

	(void)why;
	own->runtime = *runtime;
	own->heartbeat = heartbeat_new("ports", runtime->loop, runtime->db_config);
	own->queues = queue_watch_new(heartbeat_membership(own->heartbeat), runtime);
	own->publisher = publisher_new(own);
	own->comparison = compare_new(own);
	own->watch = watch_new(own);
	own->feed = feed_open(own);
	return OK;
}

static void drain(void *self)
{
	struct ports *own = self;

	feed_pause(own->feed);
	publisher_drain(own->publisher);
}

static bool idle(const void *self)
{
	return publisher_is_idle(((const struct ports *)self)->publisher);
}

static void stop(void *self)
{
	struct ports *own = self;

	feed_close(&own->feed);
	watch_free(&own->watch);
	compare_free(&own->comparison);
	publisher_free(&own->publisher);
	queue_watch_free(&own->queues);
	heartbeat_free(&own->heartbeat);
}

int main(int argc, char **argv)
{
	const struct worker worker = {
		.name = "ports",
		.fleet = true,
		.schema = true,
		.summary = "gives names to what is attached to networks",
		.sections = sections,
		.methods = ports_methods,
		.timers = timers,
		.check = check,
		.prepare = prepare,
		.start = start,
		.drain = drain,
		.idle = idle,
		.stop = stop,
		.agent = &ports_agent,
		.self = &ports,
	};

	return worker_main(argc, argv, &worker);
}
