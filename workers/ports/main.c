#include "agent.h"
#include "base/log.h"
#include "compare.h"
#include "consistency/member.h"
#include "consistency/queue_watch.h"
#include "consistency/reconcile.h"
#include "domain_watch.h"
#include "feed.h"
#include "neutron_apply.h"
#include "ports.h"
#include "publish.h"
#include "store.h"

static struct ports ports = { .due_period_ms = 1000, .look_period_ms = 2000,
                              .sweep_period_ms = 60 * 1000 };

static const struct option_section sections[] = {
	{ "ports", "names of network ports", ports_options, &ports.settings },
	{ 0 }
};

static void publish_timer_fire(void *self)
{
	publish_fire(self);
}

static void compare_timer_fire(void *self)
{
	compare_fire(((struct ports *)self)->comparison);
}

static void sweep_timer_fire(void *self)
{
	struct ports *own = self;
	struct why why;
	struct tx tx = tx_autocommit(own->runtime.db, &why);

	store_ports_sweep(&tx);
	store_zones_sweep(&tx);
	if (tx_commit(&tx))
		log_warn("old rows not removed: reason=\"%s\"", why.text);
}

static void watch_timer_fire(void *self)
{
	domain_watch_fire(((struct ports *)self)->watch);
}

static enum err retry_refused(void *self, struct why *why)
{
	struct ports *own = self;
	struct tx tx = tx_begin(own->runtime.db, why);

	store_records_retry_refused(&tx);
	return tx_commit(&tx);
}

static enum err find_unused(void *self, struct why *why)
{
	struct ports *own = self;
	struct tx tx = tx_begin(own->runtime.db, why);

	store_zones_unused_due(&tx);
	return tx_commit(&tx);
}

static void refused_timer_fire(void *self)
{
	struct ports *own = self;
	struct why why;

	if (tx_retry_on_loop(retry_refused, own, &why))
		log_warn("refused records not retried: reason=\"%s\"", why.text);
	if (own->settings.deletes_reverse && tx_retry_on_loop(find_unused, own, &why))
		log_warn("cannot find unused reverse domains: reason=\"%s\"", why.text);
}

static const struct timer timers[] = {
	{ "due", &ports.due_period_ms, publish_timer_fire },
	{ "sweep", &ports.sweep_period_ms, sweep_timer_fire },
	{ "retry", &ports.settings.retry_ms, refused_timer_fire },
	{ "watch", &ports.look_period_ms, watch_timer_fire },
	{ "compare", &ports.look_period_ms, compare_timer_fire },
	{ 0 }
};

static enum err ports_check(void *self, struct why *why)
{
	return ports_settings_check(&((const struct ports *)self)->settings, why);
}

static enum err ports_prepare(void *self, int processes, struct why *why)
{
	(void)self, (void)processes, (void)why;
	publish_metrics();
	feed_metrics();
	neutron_apply_metrics();
	compare_metrics();
	queue_watch_metrics((const char *const[]){ "ports", NULL }, false);
	return OK;
}

static enum err ports_start(void *self, const struct runtime *runtime, struct why *why)
{
	struct ports *own = self;

	(void)why;
	own->runtime = *runtime;
	own->publisher = publish_new(own);
	own->comparison = compare_new(own);
	own->watch = domain_watch_new(own);
	own->feed = feed_open(own);
	return OK;
}

static void ports_drain(void *self)
{
	struct ports *own = self;

	feed_pause(own->feed);
	reconciler_drain(own->publisher);
}

static bool ports_idle(const void *self)
{
	return reconciler_is_idle(((const struct ports *)self)->publisher);
}

static void ports_stop(void *self)
{
	struct ports *own = self;

	feed_close(&own->feed);
	domain_watch_free(&own->watch);
	compare_free(&own->comparison);
	reconciler_free(&own->publisher);
}

static const char *const tables[] = {
	"distributed_locks", "domains", "network_hosts", "networks",
	"port_addresses", "port_comparisons", "port_quotas", "port_records",
	"port_zones", "ports", "quotas", "schema_migrations", "subnets",
	"worker_nodes", NULL
};

int main(int argc, char **argv)
{
	const struct worker worker = {
		.name = "ports",
		.fleet = true,
		.tables = tables,
		.no_lock_wait = true,
		.summary = "creates DNS records for the ports of networks",
		.sections = sections,
		.methods = ports_methods,
		.timers = timers,
		.part = &member_part,
		.check = ports_check,
		.prepare = ports_prepare,
		.start = ports_start,
		.drain = ports_drain,
		.idle = ports_idle,
		.stop = ports_stop,
		.agent = &ports_agent,
		.self = &ports,
	};

	return worker_main(argc, argv, &worker);
}
