/*
 * routes -- manages routers, the routes of each router, and a domain with a wildcard for
 * each router (requirements: seed 003).
 *
 * service      handles calls: routers, routes, bindings
 * host_claim   decides which route has a host
 * scheduler    binds routes to routers, according to a strategy
 * publish      sends the records of a router's domain to central
 * name_expiry  removes former names of routes after their grace time
 *
 * An instance runs at each address of a router. Each instance serves all routes of the
 * router. Each process handles a share of the routes. A checksum of the route's id
 * decides which share the route belongs to. Two processes cannot both bind the same
 * route, because the table route_bindings has a unique key for the route.
 */
#pragma once

#include "runtime/worker.h"
#include "store.h"

struct backend_check;
struct pages;
struct scheduler;
struct reconciler;

/*
 * The longest time by which an instance with an old version of the hosts can delay a
 * CNAME (store_cname_ready.h).
 */
enum { ROUTES_PATIENCE_S = 300 };

enum all_down { ALL_DOWN_KEEP, ALL_DOWN_WITHDRAW };

struct routes_settings {
	int strategy;			/* value of enum strategy_word */
	int all_down;			/* value of enum all_down */
	char *suffix, *pool, *parent, *parent_storage;
	char *backend_pattern, *namespace_pattern;
	int quota, check_ms, grace_s, delay_s, ttl, alive_ms, retry_max_ms;
};

struct routes {
	struct runtime runtime;
	struct routes_settings settings;
	struct scheduler *scheduler;
	struct reconciler *publisher;
	/* time of the last turn of the timer "due" */
	int64_t turn_ms;
	/*
	 * time when the process began to receive reports; 0: the process receives no
	 * reports
	 */
	int64_t receives_since_ms;
	/* Periods of timers. The program never changes these periods. */
	int due_period_ms, hosts_period_ms;
	/* period of the timer for former names. name_expiry_fire() sets the period. */
	int name_expiry_period_ms;
	struct backend_check *backend_check;
	int backends_period_ms;
	/* updates of many routes that run in the background (service_router.c) */
	struct pages *pages;
};

extern const struct rpc_method routes_methods[];	/* service.c */

/*
 * Makes the rule from the options routes.alive_timeout and routes.all_down. A process can
 * find out whether an agent is silent only after it has received reports for the time
 * routes.alive_timeout.
 */
struct alive_rule routes_alive_rule(const struct routes *routes);
/* Updates receives_since_ms. Runs in each turn of the timer "due". */
void routes_alive_update(struct routes *routes);
