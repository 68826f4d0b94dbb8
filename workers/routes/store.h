/*
 * store -- the rows of routes: routers, routes, claims, bindings. They are written by
 * nobody else.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/id.h"
#include "core/former_name.h"
#include "core/route_name.h"
#include "dns/address.h"
#include "runtime/tx.h"

/* ---- routers ---- */

enum router_state { ROUTER_ACTIVE, ROUTER_DRAINING, ROUTER_GOING, ROUTER_STATES };
enum zone_status { ZONE_PENDING, ZONE_ACTIVE, ZONE_ERROR, ZONE_STATUSES };

const char *router_state_name(enum router_state state);
const char *zone_status_name(enum zone_status status);

struct router_address {
	struct address address;
	bool is_up;			/* the operator's word */
	bool is_seen;			/* an agent speaks for it, */
	int64_t unseen_ms;		/* and said so last that long ago */
	bool is_shown;			/* it is among what the domain should have */
	bool has_version;		/* it is known which version of its hosts */
	uint64_t version;		/* the instance serves */
};

struct router_row {
	const char *name, *description, *dns, *label;
	bool has_capacity;
	uint32_t capacity, ttl;
	enum router_state state;
	const char *zone;		/* JSON: what its domain has to begin with */
	char made_id[ID_LEN + 1];	/* of the domain, if we made it; else "" */
	char domain_id[ID_LEN + 1];	/* of the one that was told last; "": none was */
	uint32_t bound;
	uint64_t rev, done_rev;
	bool has_serial;
	uint32_t serial, failures;
	enum zone_status zone_status;
	const char *reason;
	struct router_address *addresses;
	size_t count;
	bool is_live;			/* an address of it is up and lives */
};

enum router_lock { ROUTER_READ, ROUTER_LOCK };
/* With its addresses. */
bool store_router_read(struct tx *tx, struct arena *arena, const char *name,
                       enum router_lock lock, struct router_row *router);
/* ERR_EXISTS: there is one of its name, or its dns. */
void store_router_insert(struct tx *tx, const struct router_row *router);
/* Description, label, capacity, ttl and state; its domain is due. */
void store_router_update(struct tx *tx, const struct router_row *router);
/* Those of ROUTER replace what was there; who speaks for one of them stays known. */
void store_addresses_put(struct tx *tx, const struct router_row *router);
/*
 * What is shown follows what is up: what its operator says so of, and whoever speaks for
 * it did within TIMEOUT_MS. Silence tells nothing to who is not hearing: what is shown
 * stays.
 */
struct alive_rule {
	int timeout_ms;
	bool is_hearing;
	bool keeps;			/* what is shown, if nothing is up */
};
/* Is any of them shown, or up? */
bool store_addresses_hold(struct tx *tx, const char *router,
                          const struct alive_rule *rule);
/*
 * An agent says that the address lives, and perhaps which version of its hosts it serves.
 */
struct address_report {
	const char *router;
	struct address address;
	bool has_version;
	uint64_t version;
};
/*
 * If it was not down until now for silence. False, and nothing is written: it was, or the
 * router has no such address.
 */
bool store_address_lives_on(struct tx *tx, const struct address_report *report,
                            int timeout_ms);
/* Whatever it was: false if the router has no such address. */
bool store_address_seen(struct tx *tx, const struct address_report *report);
/*
 * Of a router, or (NULL) of all of which the two differ. Domains are due. Returns how
 * many.
 */
int64_t store_addresses_follow(struct tx *tx, const char *name,
                               const struct alive_rule *rule);
/* Nothing refers to it any more. */
void store_router_delete(struct tx *tx, const char *name);
typedef void router_fn(void *self, const struct router_row *router);
/* By name, from the one after MARKER on. */
void store_routers(struct tx *tx, struct arena *arena, const char *marker, int limit,
                   router_fn *each, void *self);
/* Those that take routes, by name; IS_LIVE is known, addresses are not. */
void store_routers_active(struct tx *tx, struct arena *arena,
                          const struct alive_rule *rule, router_fn *each, void *self);
/* The router whose domain HOST is in, or is: the closest one; NULL. */
const char *store_router_of_host(struct tx *tx, struct arena *arena, const char *host);
/* One whose domain is below DOMAIN; NULL. */
const char *store_router_below(struct tx *tx, struct arena *arena, const char *domain);
/* One more, or less. */
void store_router_count(struct tx *tx, const char *name, int by);
/* Nobody else changes it or publishes its domain meanwhile. False: there is none. */
bool store_router_lock(struct tx *tx, const char *name);
/* The same without a wait. False also: another transaction has it. */
bool store_router_try_lock(struct tx *tx, const char *name);
/* Its domain should have something else now. */
void store_router_touch(struct tx *tx, const char *name);

/* ---- the domains of routers ---- */

/* Their names, at most LIMIT. */
void store_shards_due(struct tx *tx, struct arena *arena, int limit,
                      void (*each)(void *self, const char *name), void *self);
/* It is this one of central's. */
void store_shard_is(struct tx *tx, const char *name, const char *domain_id);
/*
 * There is no such domain; it will be MADE_ID, and all is to be said from the beginning.
 */
void store_shard_missing(struct tx *tx, const char *name, const char *made_id);
/* Somebody else's domain is there. */
void store_shard_adopted(struct tx *tx, const char *name);
/*
 * PATIENCE_S, here and below: how long a name that a route had before is kept from
 * leading to its other router by an instance there that is behind (store_cname_ready.h).
 */
/* REV is what central was told, under SERIAL; it is looked after again in AFTER_MS. */
struct shard_told {
	uint64_t rev;
	uint32_t serial;
	int64_t after_ms;
};
void store_shard_told(struct tx *tx, const char *name, const struct shard_told *told,
                      int patience_s);
/*
 * Its servers have what was told; due again in AFTER_MS, if that is still ROUTER's rev.
 */
void store_shard_active(struct tx *tx, const struct router_row *router, int after_ms,
                        int patience_s);
void store_shard_wait(struct tx *tx, const char *name, int64_t after_ms,
                      int patience_s);
/*
 * What was to be done for ROUTER as it was failed: again in AFTER_MS, or, as it is, now.
 */
void store_shard_failed(struct tx *tx, const struct router_row *router,
                        const char *reason, int64_t after_ms);

/* ---- routes ---- */

struct route_row {
	char id[ID_LEN + 1];
	const char *namespace, *name, *project_id;
	const char *host;		/* NULL: none was given */
	const char *labels;		/* JSON */
	const char *backend;
	bool is_scheduled;
	const char *dns;		/* NULL: not scheduled */
	bool is_waiting;		/* another one has its host */
	const char *last_error;		/* "": none */
	uint32_t attempts;
	const char *router;		/* of its binding; NULL: none */
	const char *created_at;
};

/* By id, or by namespace and name if ID is NULL. */
struct route_key {
	const char *id, *namespace, *name;
};
bool store_route_read(struct tx *tx, struct arena *arena, const struct route_key *key,
                      struct route_row *route);
bool store_route_lock(struct tx *tx, struct arena *arena, const struct route_key *key,
                      struct route_row *route);
/* ERR_EXISTS: there is one of its id, or its name in the namespace. */
void store_route_insert(struct tx *tx, const struct route_row *route);
/* Host, labels, backend, is_waiting, last_error; it is due. */
void store_route_update(struct tx *tx, const struct route_row *route);
void store_route_delete(struct tx *tx, const char *id);
/* Locked; the project's from now on, unless it is another one's: false. */
bool store_namespace_take(struct tx *tx, const char *namespace, const char *project_id);
/* There are as many routes of the project as LIMIT, or more. */
bool store_project_is_full(struct tx *tx, const char *project_id, int limit);
void store_namespace_lock(struct tx *tx, const char *namespace);
/* It is locked, and nobody's if no route is left in it. */
void store_namespace_leave(struct tx *tx, const char *namespace);
/* What phase and dns are by its binding; no error any more. */
void store_route_bound(struct tx *tx, const char *id, const char *dns);
/* New again: as if it had just been made, but for its error. */
void store_route_unbound(struct tx *tx, const char *id, const char *reason);
void store_route_failed(struct tx *tx, const char *id, const char *reason,
                        int64_t after_ms);
/*
 * Routes of ROUTER, if it takes routes, are to stay there: LIMIT have no error any more.
 */
int64_t store_routes_stay(struct tx *tx, const char *router, int limit);
/*
 * Of those that are without a router, or to get another one, at most LIMIT of each are
 * due at once: there is a chance for them. Returns the more of both.
 */
int64_t store_routes_due_now(struct tx *tx, int limit);

struct route_filter {
	const char *project_id, *namespace, *router;	/* NULL: of all */
	const char *phase;
	const char *marker;		/* ids after this one */
	int limit;
};
typedef void route_fn(void *self, const struct route_row *route);
void store_routes(struct tx *tx, struct arena *arena, const struct route_filter *filter,
                  route_fn *each, void *self);
/*
 * Locked: of a share of all (seed 004), those that have no router and are due; and
 * (MOVING) those of routers that are drained.
 */
struct route_share {
	uint32_t factor, total;
	int limit;
};
/* Is there any of either? Nothing is locked. */
bool store_routes_wanting(struct tx *tx, const struct route_share *share);
void store_routes_due(struct tx *tx, struct arena *arena, const struct route_share *share,
                      route_fn *each, void *self);
void store_routes_moving(struct tx *tx, struct arena *arena,
                         const struct route_share *share, route_fn *each, void *self);

/* ---- claims ---- */

/* First of all that is done to a host: nobody else does below its parent meanwhile. */
void store_parent_lock(struct tx *tx, const char *parent);
/*
 * Who gives a route a host passes one of the gates; while somebody holds all, nobody
 * does.
 */
void store_gate_pass(struct tx *tx);
void store_gates_lock(struct tx *tx);
/* The route whose HOST is, and its project; NULL: nobody's. */
struct claim_row {
	const char *route_id, *project_id;
};
bool store_claim_read(struct tx *tx, struct arena *arena, const char *host,
                      struct claim_row *claim);
/* Is one below PARENT another project's, other than HOST? */
bool store_claim_is_foreign_below(struct tx *tx, const char *parent,
                                  const char *project_id);
/* False: it has been somebody's. */
bool store_claim_take(struct tx *tx, const char *host, const struct route_row *route);
void store_claim_drop(struct tx *tx, const char *host, const char *route_id);
/* A host in DOMAIN that somebody has; NULL. Reads all claims. */
const char *store_claim_in(struct tx *tx, struct arena *arena, const char *domain);
/* Those that wait for HOST, who waits longest first, at most LIMIT from SKIP on. */
void store_routes_waiting(struct tx *tx, struct arena *arena, const char *host, int limit,
                          int skip, route_fn *each, void *self);
/* The same, of all that is below PARENT. */
void store_routes_waiting_below(struct tx *tx, struct arena *arena, const char *parent,
                                int limit, int skip, route_fn *each, void *self);
/* All who wait for HOST: whose it is, as those of OWNER's project hear, and others. */
void store_waiting_set_reasons(struct tx *tx, const char *host,
                               const struct route_row *owner,
                               const char *ours, const char *others);
/* Hosts that somebody waits for who might have them: it should not be. */
void store_hosts_orphaned(struct tx *tx, struct arena *arena, int limit,
                          void (*each)(void *self, const char *host), void *self);

/* ---- bindings ---- */

struct binding_row {
	const char *namespace, *name, *route_id, *router, *dns;
	const char *router_dns;		/* NULL unless it is of store_bindings() */
	uint64_t generation;
};
bool store_binding_read(struct tx *tx, struct arena *arena, const char *route_id,
                        struct binding_row *binding);
/* ERR_EXISTS: somebody else has bound it. */
void store_binding_insert(struct tx *tx, const struct binding_row *binding);
void store_binding_update(struct tx *tx, const struct binding_row *binding);
void store_binding_delete(struct tx *tx, const char *route_id);
typedef void binding_fn(void *self, const struct binding_row *binding);
/* Of a router, or (NULL) of all; by the route's id. */
void store_bindings(struct tx *tx, struct arena *arena, const char *router,
                    const char *marker, int limit, binding_fn *each, void *self);

/* ---- former names of routes (core/former_name.h) ---- */

struct former_name {
	const char *route_id, *router, *dns;
	const char *target;		/* NULL: the name has no CNAME */
	enum former_state state;
	uint64_t seq;			/* grows with each change of the row */
	uint32_t ttl;			/* of a CNAME that central just got; else 0 */
};
typedef void former_name_fn(void *self, const struct former_name *former);
/*
 * A name gets its CNAME as soon as all instances of the new router report that they serve
 * it. If some instances do not report, it gets it after DELAY_S (store_cname_ready.h).
 */
struct former_name_times {
	int delay_s;
	int grace_s;			/* after the delay; at least the router's ttl */
};
void store_former_name_insert(struct tx *tx, const struct former_name *former,
                              const struct former_name_times *times);
/* All CNAMEs of the route's former names get TARGET. */
void store_former_names_retarget(struct tx *tx, const char *route_id, const char *target,
                                 int delay_s);
/* The route has DNS at ROUTER again: the router serves the name without a CNAME. */
void store_former_name_keep(struct tx *tx, const char *route_id, const char *router,
                            const char *dns);
/* Ends all former names of the route. */
void store_former_names_end(struct tx *tx, const char *route_id);
/* Ends those that are the host of the route's owner. */
void store_former_names_end_host(struct tx *tx, const char *route_id, const char *host);
/* The routers whose instances serve the route: the present router and the former ones. */
void store_route_routers(struct tx *tx, struct arena *arena, const char *route_id,
                         void (*each)(void *self, const char *router), void *self);
/* The same for COUNT routes, 1 to TX_LIST_MAX. */
void store_routes_routers(struct tx *tx, struct arena *arena,
                          const char *const *route_ids, size_t count,
                          void (*each)(void *self, const char *route_id,
                                       const char *router), void *self);
/* Names in STATE whose time is over, the oldest first, at most LIMIT. */
void store_former_names_expired(struct tx *tx, struct arena *arena,
                                enum former_state state, int limit,
                                former_name_fn *each, void *self);
/*
 * Moves the row to its next state, or deletes it with its claim (GONE). False, and
 * nothing is written: the row has changed since FORMER was read.
 */
bool store_former_name_apply(struct tx *tx, const struct former_name *former,
                             enum former_event event);
/* Writes the hosts version that the new routers must serve before a CNAME is ready. */
void store_former_names_set_needs(struct tx *tx, const char *router);
/* After a report of an instance of ROUTER: domains with a CNAME that is ready are due. */
void store_former_names_wake(struct tx *tx, const char *router, int patience_s);
/* The name servers of a router's domain have all updates that central got. */
void store_former_names_published(struct tx *tx, const struct router_row *router);
/* Names of a router's domain whose update central is to get now. */
void store_former_names_unsent(struct tx *tx, struct arena *arena, const char *router,
                               int limit, int patience_s, former_name_fn *each,
                               void *self);
/* Central accepted the updates of these names. Each CNAME has ROUTER's ttl. */
void store_former_names_sent(struct tx *tx, const struct router_row *router,
                             const struct former_name *names, size_t count);
/* Central is to get all CNAMEs of a router again, because its domain is a new one. */
void store_former_names_resend(struct tx *tx, const char *router);
/* The routers whose instances serve routes with a former name at ROUTER. */
void store_router_successors(struct tx *tx, struct arena *arena, const char *router,
                             void (*each)(void *self, const char *router), void *self);
/* Ends all former names at the router. */
void store_router_former_names_end(struct tx *tx, const char *router);
/* Deletes all former names at the router, with their claims. */
void store_router_former_names_delete(struct tx *tx, const char *router);
/* The former names at a router, and the time until the last of them is gone. */
struct former_names_left {
	int64_t count;
	int64_t leading;		/* with a CNAME, or about to get one */
	int64_t leaving;		/* name servers may still have the CNAME */
	uint32_t ttl;			/* the longest of a CNAME, at least the router's */
	const char *until;		/* the last end of a grace or a ttl; or NULL */
};
void store_router_former_names(struct tx *tx, struct arena *arena,
                               const struct router_row *router,
                               struct former_names_left *left);

/* ---- what a router's instances serve ---- */

struct host_row {
	const char *route_id, *host, *backend;
};
typedef void host_fn(void *self, const struct host_row *host);
/*
 * Hosts of routes that it has, the names that these had before, and those that it had and
 * still serves; by the route's id, of routes after MARKER, LIMIT routes at most.
 */
void store_router_hosts(struct tx *tx, struct arena *arena, const char *router,
                        const char *marker, int limit, host_fn *each, void *self);
void store_route_hosts(struct tx *tx, struct arena *arena, const char *router,
                       const char *route_id, host_fn *each, void *self);

/* ---- strategies ---- */

/* Locks the strategy: whoever binds by it comes one after another. */
void store_strategy_lock(struct tx *tx, const char *strategy);
uint64_t store_position_read(struct tx *tx, const char *strategy, const char *label);
void store_position_put(struct tx *tx, const char *strategy, const char *label,
                        uint64_t position);
