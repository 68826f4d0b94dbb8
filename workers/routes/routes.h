/*
 * routes -- routers in shards, what is routed by which of them, and a wildcard domain for
 * each (seed 003).
 *
 *	service   calls -> rows: routers, routes, bindings
 *	claims    whose a host is; who has it next
 *	schedule  routes without a router -> bindings, by a strategy
 *	shard     what a router's domain should have -> central
 *	moves     names that routes had before -> their next state, once its time is over
 *
 * A router is a shard: what runs at its addresses are its instances, and all of them have
 * all of its routes. A binding says which router has a route; nothing else sets phase and
 * dns of a route. The processes of the fleet share the routes by their ids; the key of
 * route_bindings decides, should two of them bind the same one.
 */
#pragma once

#include "runtime/worker.h"
#include "store.h"

struct backend_check;
struct heartbeat;
struct queue_watch;
struct scheduler;
struct shards;

/* So long an instance that is behind keeps names from its router: store_cname_ready.h. */
enum { ROUTES_PATIENCE_S = 300 };

enum all_down { ALL_DOWN_KEEP, ALL_DOWN_WITHDRAW };

struct routes_settings {
	int strategy;			/* enum strategy_word */
	int all_down;			/* enum all_down */
	char *suffix, *pool, *parent, *parent_storage;
	char *backend_pattern;
	int quota, check_ms, grace_s, delay_s, ttl, alive_ms, retry_max_ms;
};

struct routes {
	struct runtime runtime;
	struct routes_settings settings;
	struct heartbeat *heartbeat;
	struct queue_watch *queues;
	struct scheduler *scheduler;
	struct shards *shards;
	int64_t turn_ms, hears_since_ms;	/* the last one; 0: it does not */
	int due_period_ms, hosts_period_ms;	/* constant */
	int name_expiry_period_ms;			/* name_expiry.h sets it */
	struct backend_check *backends;		/* backend_check.h */
	int backends_period_ms;
};

extern const struct rpc_method routes_methods[];	/* service.c */

/*
 * By routes.alive_timeout and routes.all_down. This process is hearing if for as long the
 * broker and the database were there, and it had its turns.
 */
struct alive_rule routes_alive_rule(const struct routes *routes);
