/*
 * routes -- routers in shards, what is routed by which of them, and a wildcard domain for
 * each (seed 003).
 *
 *	service   calls -> rows: routers, routes, bindings
 *	claims    whose a host is; who has it next
 *	schedule  routes without a router -> bindings, by a strategy
 *	shard     what a router's domain should have -> central
 *
 * A router is a shard: what runs at its addresses are its instances, and all of them have
 * all of its routes. A binding says which router has a route; nothing else sets phase and
 * dns of a route. The processes of the fleet share the routes by their ids; the key of
 * route_bindings decides, should two of them bind the same one.
 */
#pragma once

#include "runtime/worker.h"

struct pulse;
struct queue_watch;
struct scheduler;
struct shards;

struct routes_settings {
	char *strategy, *suffix, *pool, *all_down;
	int grace_s, ttl, alive_s, retry_max_s;
};

struct routes {
	struct runtime runtime;
	struct routes_settings settings;
	struct pulse *pulse;
	struct queue_watch *queues;
	struct scheduler *scheduler;
	struct shards *shards;
	int due_period_s, sweep_period_s;	/* constant */
};

extern const struct rpc_method routes_methods[];	/* service.c */

/* Addresses stay in the domain when none of them is up. */
bool routes_keep_the_last(const struct routes *routes);
