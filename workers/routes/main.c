#include <string.h>

#include "agent.h"
#include "backends.h"
#include "base/clock.h"
#include "base/log.h"
#include "claims.h"
#include "consistency/heartbeat.h"
#include "consistency/queue_watch.h"
#include "core/route_backend.h"
#include "core/strategy.h"
#include "moves.h"
#include "routes.h"
#include "runtime/broker.h"
#include "runtime/db.h"
#include "schedule.h"
#include "shard.h"
#include "store.h"

static struct routes routes = { .due_period_ms = 1000, .moves_period_ms = MOVES_PERIOD_MS,
                                .hosts_period_ms = 60 * 1000,
                                .backends_period_ms = 1000 };

#define AT(field) offsetof(struct routes_settings, field)

static const char *const all_down[] = {
	[ALL_DOWN_KEEP] = "keep", [ALL_DOWN_WITHDRAW] = "withdraw", NULL
};

static const struct option rows[] = {
	{ "strategy", OPTION_WORD, AT(strategy), "roundrobin", .words = strategy_words,
	  .help = "how a route gets a router. roundrobin: the routers take turns; label: the "
	  "routers with a label of the route take turns, or those without a label if there is "
	  "no such router; leastloaded: the router with the fewest routes; hash: a router by "
	  "the id of the route; external: another program calls create_route_binding" },
	{ "suffix", OPTION_TEXT, AT(suffix), "", 0, 200,
	  "domain of routers without a domain of their own: NAME.SUFFIX. No route may "
	  "have a host in it. \"\": each router must get a domain (dns)" },
	{ "pool", OPTION_TEXT, AT(pool), "", 0, 64,
	  "pool of the domains that zonefleet-routes creates. \"\": the default pool of "
	  "central" },
	{ "parent", OPTION_TEXT, AT(parent), "", 0, 253,
	  "shared zone (registries.zones of zonefleet-ownership) in which "
	  "zonefleet-routes delegates the domains of routers below it. \"\": no "
	  "delegations" },
	{ "parent_storage", OPTION_TEXT, AT(parent_storage), "", 0, 64,
	  "storage_id of the parent in registries.zones" },
	{ "backend_pattern", OPTION_TEXT, AT(backend_pattern), "NAMESPACE_*", 1, 255,
	  "patterns of the backends that a route may name, in addition to "
	  "NAMESPACE_NAME. NAMESPACE and PROJECT stand for those of the route, and one * "
	  "for any octets. \"*\": all backends. Administrators may name all" },
	{ "quota", OPTION_INT, AT(quota), "10000", -1, INT32_MAX,
	  "routes of one tenant; -1: no limit. Administrators have no limit",
	  .reloadable = true },
	{ "ttl", OPTION_INT, AT(ttl), "30", 0, 86400,
	  "TTL of the addresses of a router's instances, in seconds" },
	{ "all_down", OPTION_WORD, AT(all_down), "keep", .words = all_down,
	  .help = "what to do with the last addresses in the domain of a router when no "
	  "instance of it is up" },
	{ "alive_timeout", OPTION_DURATION, AT(alive_ms), "15s", 200, 3600 * 1000,
	  "time without a report from its agent after which an instance counts as down" },
	{ "check_period", OPTION_DURATION, AT(check_ms), "1m", 100, 86400 * 1000,
	  "time between two checks that a router's domain exists and has the right "
	  "records" },
	{ "rebind_grace", OPTION_SECONDS, AT(grace_s), "5m", 1, 30 * 86400,
	  "time for which the former name of a moved route still leads to it. If the "
	  "router's ttl is longer, that ttl counts" },
	{ "rebind_delay", OPTION_SECONDS, AT(delay_s), "5s", 0, 3600,
	  "time after which the name of a moved route leads to its new router, if some "
	  "instances there do not report what they serve. They must serve the route by "
	  "then. If all instances report, the name leads there as soon as all serve the "
	  "route" },
	{ "retry_max", OPTION_DURATION, AT(retry_max_ms), "1m", 1000, 3600 * 1000,
	  "longest pause between two attempts to find a router for a route. The first "
	  "pause is 1s, and each next one is longer" },
	{ 0 }
};

static const struct option_section sections[] = {
	{ "routes", "routers, their routes and their domains", rows,
	  &routes.settings },
	HEARTBEAT_SECTION,
	{ 0 }
};

/* ---- timers ---- */

static void fleet_fire(void *self)
{
	heartbeat_fire(((struct routes *)self)->heartbeat);
}

static void queues_fire(void *self)
{
	queue_watch_fire(((struct routes *)self)->queues);
}

/* Reports wait in their queue, or were never sent, as long as one of those is away. */
static void mind_hearing(struct routes *own)
{
	const int64_t now = clock_ms();
	const int64_t late_ms = own->settings.alive_ms / 2 +
	                        own->due_period_ms * INT64_C(3) / 2;

	if (!broker_is_up(own->runtime.out) || !db_is_up(own->runtime.db))
		own->hears_since_ms = 0;
	else if (!own->hears_since_ms || now - own->turn_ms > late_ms)
		own->hears_since_ms = now;
	own->turn_ms = now;
}

static enum err follow_addresses(void *self, struct why *why)
{
	const struct routes *own = self;
	const struct alive_rule rule = routes_alive_rule(own);
	struct tx tx = tx_begin(own->runtime.db, why);

	store_addresses_follow(&tx, NULL, &rule);
	return tx_commit(&tx);
}

static void due_fire(void *self)
{
	struct routes *own = self;
	struct why why;
	enum err err;

	mind_hearing(own);
	err = tx_retry_on_loop(follow_addresses, own, &why);
	if (err)
		log_warn("addresses not looked at: reason=\"%s\"", why.text);
	if (err && err != ERR_RACE)	/* who lost a race hears all the same */
		own->hears_since_ms = 0;
	scheduler_fire(own->scheduler);
	shards_fire(own->shards);
}

/* ---- what should never be ---- */

enum { SWEPT_MAX = 64 };

struct sweep {
	struct routes *routes;
	struct arena *arena;
	const char *hosts[SWEPT_MAX];	/* that nobody has, and somebody waits for */
	size_t host_count;
};

static void take_host(void *self, const char *host)
{
	struct sweep *sweep = self;

	sweep->hosts[sweep->host_count++] = host;
}

static enum err read_hosts(void *self, struct why *why)
{
	struct sweep *sweep = self;
	struct tx tx = tx_autocommit(sweep->routes->runtime.db, why);

	sweep->host_count = 0;
	store_hosts_orphaned(&tx, sweep->arena, SWEPT_MAX, take_host, sweep);
	return tx_commit(&tx);
}

/* The last of those that were read. */
static enum err settle_host(void *self, struct why *why)
{
	struct sweep *sweep = self;
	struct tx tx = tx_begin(sweep->routes->runtime.db, why);

	claims_settle(&tx, sweep->arena, sweep->hosts[sweep->host_count - 1]);
	return tx_commit(&tx);
}

static void hosts_fire(void *self)
{
	struct sweep sweep = { .routes = self, .arena = arena_new() };
	struct why why;

	if (tx_retry_on_loop(read_hosts, &sweep, &why)) {
		log_warn("hosts not swept: reason=\"%s\"", why.text);
		sweep.host_count = 0;
	}
	for (; sweep.host_count; sweep.host_count--)
		if (tx_retry_on_loop(settle_host, &sweep, &why))
			log_warn("host not settled: host=%s reason=\"%s\"",
			         sweep.hosts[sweep.host_count - 1], why.text);
	arena_free(&sweep.arena);
}

static void moves_timer(void *self)
{
	moves_fire(self);
}

static void backends_timer(void *self)
{
	backends_fire(((struct routes *)self)->backends);
}

static const struct timer timers[] = {
	{ "fleet",  &heartbeat_config.period_ms, fleet_fire },
	{ "queues", &queue_watch_period_ms,  queues_fire },
	{ "due",    &routes.due_period_ms,   due_fire },
	{ "moves",  &routes.moves_period_ms, moves_timer },
	{ "hosts",  &routes.hosts_period_ms, hosts_fire },
	{ "backends", &routes.backends_period_ms, backends_timer },
	{ 0 }
};

/* ---- life ---- */

/* As hosts are compared with it, which is no longer; "" is none. */
static enum err take_domain(char *domain, const char *option, struct why *why)
{
	char host[ROUTE_HOST_MAX + 1];
	enum err err = *domain ? route_host(domain, option, false, host, why) : OK;

	if (err || !*domain)
		return err;
	bug_if(strlen(host) > strlen(domain));
	memcpy(domain, host, strlen(host) + 1);
	return OK;
}

static enum err check(void *self, struct why *why)
{
	struct routes_settings *settings = &((struct routes *)self)->settings;
	enum err err = membership_check(&heartbeat_config, why);

	if (!err)
		err = take_domain(settings->suffix, "routes.suffix", why);
	if (!err)
		err = take_domain(settings->parent, "routes.parent", why);
	if (!err)
		err = backend_check_patterns(settings->backend_pattern,
		                             "routes.backend_pattern", why);
	if (!err && !*settings->parent != !*settings->parent_storage)
		err = fail(why, ERR_INVALID,
		           "routes.parent and routes.parent_storage: set both or "
		           "neither");
	return err;
}

static enum err prepare(void *self, int processes, struct why *why)
{
	(void)self, (void)processes, (void)why;
	schedule_metrics();
	shard_metrics();
	membership_metrics();
	queue_watch_metrics((const char *const[]){ "routes", NULL }, false);
	return OK;
}

static enum err start(void *self, const struct runtime *runtime, struct why *why)
{
	struct routes *own = self;

	(void)why;
	own->runtime = *runtime;
	own->heartbeat = heartbeat_new("routes", runtime->loop, runtime->db_config);
	own->queues = queue_watch_new(heartbeat_membership(own->heartbeat), runtime);
	own->scheduler = scheduler_new(own);
	own->shards = shards_new(own);
	own->backends = backends_new(own);
	return OK;
}

static void drain(void *self)
{
	shards_drain(((struct routes *)self)->shards);
}

static bool idle(const void *self)
{
	return shards_are_idle(((const struct routes *)self)->shards);
}

static void stop(void *self)
{
	struct routes *own = self;

	backends_free(&own->backends);
	shards_free(&own->shards);
	scheduler_free(&own->scheduler);
	queue_watch_free(&own->queues);
	heartbeat_free(&own->heartbeat);
}

int main(int argc, char **argv)
{
	const struct worker worker = {
		.name = "routes",
		.fleet = true,
		.agent = &routes_agent,
		.schema = true,
		.summary = "binds routes to routers, and keeps a domain for each of them",
		.sections = sections,
		.methods = routes_methods,
		.timers = timers,
		.check = check,
		.prepare = prepare,
		.start = start,
		.drain = drain,
		.idle = idle,
		.stop = stop,
		.self = &routes,
	};

	return worker_main(argc, argv, &worker);
}
