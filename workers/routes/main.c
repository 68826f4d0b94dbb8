#include <string.h>

#include "agent.h"
#include "backend_check.h"
#include "base/log.h"
#include "consistency/member.h"
#include "consistency/queue_watch.h"
#include "consistency/reconcile.h"
#include "core/route_backend.h"
#include "core/strategy.h"
#include "host_claim.h"
#include "name_expiry.h"
#include "publish.h"
#include "routes.h"
#include "scheduler.h"
#include "service.h"
#include "store.h"

static struct routes routes = {
	.due_period_ms = 1000, .name_expiry_period_ms = NAME_EXPIRY_PERIOD_MS,
	.hosts_period_ms = 60 * 1000, .backends_period_ms = 1000,
};

#define AT(field) offsetof(struct routes_settings, field)

static const char *const all_down[] = {
	[ALL_DOWN_KEEP] = "keep", [ALL_DOWN_WITHDRAW] = "withdraw", NULL
};

static const struct option rows[] = {
	{ "strategy", OPTION_WORD, AT(strategy), "roundrobin", .words = strategy_words,
	  .help = "rule for the choice of a router for a route. roundrobin: the routers "
	  "in turn. label: the routers with a label of the route, in turn. If no router "
	  "has a label of the route, the routers without a label, in turn. leastloaded: "
	  "the router with the fewest routes. hash: the id of the route selects the "
	  "router. external: another program calls create_route_binding" },
	{ "suffix", OPTION_TEXT, AT(suffix), "", 0, 200,
	  "parent domain of a new router. If the call names no domain, the domain of the "
	  "router is NAME.SUFFIX. The host of a route must not be in this parent domain. "
	  "\"\": each call of create_router must name a domain (dns)" },
	{ "pool", OPTION_TEXT, AT(pool), "", 0, 64,
	  "pool of the domains that zonefleet-routes creates. \"\": the default pool of "
	  "central" },
	{ "parent", OPTION_TEXT, AT(parent), "", 0, 253,
	  "shared zone for the delegations of routers' domains. zonefleet-routes "
	  "creates a delegation in this zone for each router's domain below this zone. "
	  "The zone must be in registries.zones of zonefleet-ownership. \"\": no "
	  "delegations" },
	{ "parent_storage", OPTION_TEXT, AT(parent_storage), "", 0, 64,
	  "storage_id of the zone `parent` in registries.zones" },
	{ "backend_pattern", OPTION_TEXT, AT(backend_pattern), "NAMESPACE_*", 1, 255,
	  "patterns for the backends of routes. A tenant can set NAMESPACE_NAME and "
	  "each backend that matches a pattern. Separate the patterns with blanks. "
	  "zonefleet-routes replaces NAMESPACE with the namespace of the route, and "
	  "PROJECT with the tenant of the route. A pattern can contain one *, which "
	  "matches any text. \"*\": all backends. Administrators can set any backend" },
	{ "namespace_pattern", OPTION_TEXT, AT(namespace_pattern), "*", 1, 255,
	  "patterns for free namespaces. A tenant can create the first route in a free "
	  "namespace that matches a pattern. The namespace then belongs to the tenant. "
	  "Separate the patterns with blanks. zonefleet-routes replaces PROJECT with "
	  "the tenant. A pattern can contain one *, which matches any text. \"*\": all "
	  "free namespaces. With \"*\", a tenant can use an operator's backend if the "
	  "name of the backend begins with a free namespace and \"_\". Administrators "
	  "can use any free namespace" },
	{ "quota", OPTION_INT, AT(quota), "10000", -1, INT32_MAX,
	  "largest number of routes of one tenant. -1: no limit. The limit does not "
	  "apply to administrators", .reloadable = true },
	{ "ttl", OPTION_INT, AT(ttl), "30", 0, 86400,
	  "TTL of the address records in a router's domain, in seconds" },
	{ "all_down", OPTION_WORD, AT(all_down), "keep", .words = all_down,
	  .help = "action if no instance of a router is up. keep: the last addresses "
	  "stay in the domain of the router; withdraw: zonefleet-routes removes these "
	  "addresses" },
	{ "alive_timeout", OPTION_DURATION, AT(alive_ms), "15s", 200, 3600 * 1000,
	  "longest time without a report from the agent of an instance. After this "
	  "time, the instance counts as down" },
	{ "check_period", OPTION_DURATION, AT(check_ms), "1m", 100, 86400 * 1000,
	  "time between two checks of a router's domain. A check finds out whether the "
	  "domain exists and contains the right records" },
	{ "rebind_grace", OPTION_SECONDS, AT(grace_s), "5m", 1, 30 * 86400,
	  "lifetime of the CNAME record from the former name of a moved route to the "
	  "new name. If the TTL of the router is longer, zonefleet-routes uses the TTL "
	  "instead" },
	{ "rebind_delay", OPTION_SECONDS, AT(delay_s), "5s", 0, 3600,
	  "pause before zonefleet-routes creates the CNAME record at the former name of "
	  "a moved route. Set rebind_delay to the longest time that an instance needs "
	  "until it serves a new route. If all instances report that they serve the "
	  "route, zonefleet-routes ends the pause early. If an instance reports that it "
	  "does not serve the route yet, zonefleet-routes waits up to 5 minutes longer" },
	{ "retry_max", OPTION_DURATION, AT(retry_max_ms), "1m", 1000, 3600 * 1000,
	  "longest pause between two attempts to find a router for a route. The first "
	  "pause is 1s, and each further pause is longer" },
	{ 0 }
};

static const struct option_section sections[] = {
	{ "routes", "routers, their routes and their domains", rows,
	  &routes.settings },
	{ 0 }
};

/* ---- timers ---- */

static enum err addresses_update_shown(void *self, struct why *why)
{
	const struct routes *own = self;
	const struct alive_rule rule = routes_alive_rule(own);
	struct tx tx = tx_begin(own->runtime.db, why);

	store_addresses_update_shown(&tx, NULL, &rule);
	return tx_commit(&tx);
}

static void due_fire(void *self)
{
	struct routes *own = self;
	struct why why;
	enum err err;

	routes_alive_update(own);
	err = tx_retry_on_loop(addresses_update_shown, own, &why);
	if (err)
		log_warn("addresses in the domains of routers not updated: reason=\"%s\"",
		         why.text);
	/* a race or a locked row means that the database can be reached */
	if (err && err_retry(err) != RETRY_NOW)
		own->receives_since_ms = 0;
	scheduler_fire(own->scheduler);
	publish_fire(own);
}

static void host_claim_timer(void *self)
{
	host_claim_fire(self);
}

static void name_expiry_timer(void *self)
{
	name_expiry_fire(self);
}

static void backend_check_timer(void *self)
{
	backend_check_fire(((struct routes *)self)->backend_check);
}

static const struct timer timers[] = {
	{ "due",    &routes.due_period_ms,   due_fire },
	{ "moves",  &routes.name_expiry_period_ms, name_expiry_timer },
	{ "hosts",  &routes.hosts_period_ms, host_claim_timer },
	{ "backends", &routes.backends_period_ms, backend_check_timer },
	{ 0 }
};

/* ---- life ---- */

/* Replaces the domain by its normalised form, which is used for comparisons. */
static enum err settings_normalize_domain(char *domain, const char *option,
                                          struct why *why)
{
	char host[ROUTE_HOST_MAX + 1];
	enum err err = *domain ? host_normalize(domain, option, false, host, why) : OK;

	if (err || !*domain)
		return err;
	bug_if(strlen(host) > strlen(domain));
	memcpy(domain, host, strlen(host) + 1);
	return OK;
}

static enum err routes_check(void *self, struct why *why)
{
	struct routes_settings *settings = &((struct routes *)self)->settings;
	enum err err = settings_normalize_domain(settings->suffix, "routes.suffix", why);

	if (!err)
		err = settings_normalize_domain(settings->parent, "routes.parent", why);
	if (!err)
		err = route_backend_check_patterns(settings->backend_pattern,
		                                   "routes.backend_pattern", why);
	if (!err)
		err = route_backend_check_patterns(settings->namespace_pattern,
		                                   "routes.namespace_pattern", why);
	if (!err && !*settings->parent != !*settings->parent_storage)
		err = fail(why, ERR_INVALID,
		           "routes.parent and routes.parent_storage: set both settings, "
		           "or leave both empty");
	return err;
}

static enum err routes_prepare(void *self, int processes, struct why *why)
{
	(void)self, (void)processes, (void)why;
	scheduler_metrics();
	publish_metrics();
	queue_watch_metrics((const char *const[]){ "routes", NULL }, false);
	return OK;
}

static enum err routes_start(void *self, const struct runtime *runtime, struct why *why)
{
	struct routes *own = self;

	(void)why;
	own->runtime = *runtime;
	own->scheduler = scheduler_new(own);
	own->publisher = publish_new(own);
	own->backend_check = backend_check_new(own);
	return OK;
}

static void routes_drain(void *self)
{
	reconciler_drain(((struct routes *)self)->publisher);
}

static bool routes_idle(const void *self)
{
	const struct routes *own = self;

	return !own->pages && reconciler_is_idle(own->publisher);
}

static void routes_stop(void *self)
{
	struct routes *own = self;

	service_stop(own);
	backend_check_free(&own->backend_check);
	reconciler_free(&own->publisher);
	scheduler_free(&own->scheduler);
}

static const char *const tables[] = {
	"distributed_locks", "host_claims", "host_gates", "host_parents",
	"route_bindings", "route_moves", "route_namespaces", "router_addresses",
	"router_hosts", "routers", "routes", "scheduler_state",
	"schema_migrations", "worker_nodes", NULL
};

int main(int argc, char **argv)
{
	const struct worker worker = {
		.name = "routes",
		.fleet = true,
		.agent = &routes_agent,
		.tables = tables,
		.no_lock_wait = true,
		.summary = "binds routes to routers, and manages a domain for each "
		           "router",
		.sections = sections,
		.methods = routes_methods,
		.timers = timers,
		.part = &member_part,
		.check = routes_check,
		.prepare = routes_prepare,
		.start = routes_start,
		.drain = routes_drain,
		.idle = routes_idle,
		.stop = routes_stop,
		.self = &routes,
	};

	return worker_main(argc, argv, &worker);
}
