/*
 * store -- the tables of zonefleet-routes: routers, routes, claims, bindings and former
 * names. No other program writes them.
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
	bool is_up;			/* as the operator has set it */
	bool is_seen;			/* an agent has reported it, */
	int64_t unseen_ms;		/* last so long ago */
	bool is_shown;			/* the wildcard of the domain has it */
	bool has_version;		/* the agent reported a version: */
	uint64_t version;		/* of the hosts that the instance serves */
};

struct router_row {
	const char *name, *description, *dns, *label;
	bool has_capacity;
	uint32_t capacity, ttl;
	enum router_state state;
	const char *zone;		/* JSON: core/router_domain.h */
	char made_id[ID_LEN + 1];	/* of the domain, if the worker created it */
	char domain_id[ID_LEN + 1];	/* of the domain with the last change, or "" */
	uint32_t bound;			/* routes */
	uint64_t rev, done_rev;		/* of the domain: wanted; accepted by central */
	bool has_serial;
	uint32_t serial, failures;
	enum zone_status zone_status;
	const char *reason;
	struct router_address *addresses;
	size_t count;
	bool is_live;			/* an instance is up and not silent */
};

enum router_lock { ROUTER_READ, ROUTER_LOCK };
/* With its addresses. */
bool store_router_read(struct tx *tx, struct arena *arena, const char *name,
                       enum router_lock lock, struct router_row *router);
/* ERR_EXISTS: a router has the name or the dns. */
void store_router_insert(struct tx *tx, const struct router_row *router);
/* Writes description, label, capacity, ttl and state; the domain is due. */
void store_router_update(struct tx *tx, const struct router_row *router);
/* The addresses of ROUTER replace the old ones. Known reports stay. */
void store_addresses_replace(struct tx *tx, const struct router_row *router);
/*
 * An address is shown if the operator has set it up and its agent, if there is one, has
 * reported it within TIMEOUT_MS. A process that is not receiving reports cannot count
 * silence: then a shown address stays.
 */
struct alive_rule {
	int timeout_ms;
	bool is_receiving;
	bool keeps;			/* shown addresses stay if all are down */
};
/* Is an address of the router shown, or may one be shown? */
bool store_addresses_any_usable(struct tx *tx, const char *router,
                                const struct alive_rule *rule);
/* The report of an agent: the instance at the address lives. */
struct address_report {
	const char *router;
	struct address address;
	bool has_version;
	uint64_t version;		/* of the hosts that the instance serves */
};
/*
 * Writes the report if the address did not count as silent. False, and nothing is
 * written: it did, or the router has no such address.
 */
bool store_address_renew(struct tx *tx, const struct address_report *report,
                         int timeout_ms);
/* Writes the report. False: the router has no such address. */
bool store_address_revive(struct tx *tx, const struct address_report *report);
/*
 * Updates which addresses are shown, of the router or of all (NULL). The domains that
 * change are due; the result is their number.
 */
int64_t store_addresses_update_shown(struct tx *tx, const char *name,
                                     const struct alive_rule *rule);
void store_router_delete(struct tx *tx, const char *name);
typedef void router_fn(void *self, const struct router_row *router);
/* Sorted by name, after MARKER. */
void store_routers(struct tx *tx, struct arena *arena, const char *marker, int limit,
                   router_fn *each, void *self);
/* Routers that take routes, by name. IS_LIVE is set, addresses are not. */
void store_routers_active(struct tx *tx, struct arena *arena,
                          const struct alive_rule *rule, router_fn *each, void *self);
/* The router with the longest domain that HOST is in or is; or NULL. */
const char *store_router_find_host(struct tx *tx, struct arena *arena, const char *host);
/* A router whose domain is below DOMAIN; or NULL. */
const char *store_router_find_below(struct tx *tx, struct arena *arena,
                                    const char *domain);
/* BY: 1 or -1 routes. */
void store_router_add_bound(struct tx *tx, const char *name, int by);
/* Other transactions cannot change the router or publish its domain. False: no router. */
bool store_router_lock(struct tx *tx, const char *name);
/* The same without a wait. False also if another transaction has the lock. */
bool store_router_try_lock(struct tx *tx, const char *name);
/* The records of its domain change; the domain is due. */
void store_router_touch(struct tx *tx, const char *name);

/* ---- the domains of routers ---- */

/* The names of routers whose domain is due. */
void store_domains_due(struct tx *tx, struct arena *arena, int limit,
                       void (*each)(void *self, const char *name), void *self);
/* The id that central's domain has. */
void store_domain_set_id(struct tx *tx, const char *name, const char *domain_id);
/* The domain is missing: it is created with the id MADE_ID, and gets all records. */
void store_domain_set_missing(struct tx *tx, const char *name, const char *made_id);
/* The domain exists already, so the worker will not delete it. */
void store_domain_set_adopted(struct tx *tx, const char *name);
/*
 * PATIENCE_S, here and below: how long an instance that is behind can hold up a CNAME to
 * its router (store_cname_ready.h).
 */
/* Central accepted REV as SERIAL; the domain is due in AFTER_MS. */
struct domain_sent {
	uint64_t rev;
	uint32_t serial;
	int64_t after_ms;
};
void store_domain_sent(struct tx *tx, const char *name, const struct domain_sent *sent,
                       int patience_s);
/* The name servers have ROUTER's rev. If it is still the wanted one: due in AFTER_MS. */
void store_domain_set_active(struct tx *tx, const struct router_row *router, int after_ms,
                             int patience_s);
void store_domain_wait(struct tx *tx, const char *name, int64_t after_ms, int patience_s);
/* Due in AFTER_MS, or now if another rev than ROUTER's is wanted. */
void store_domain_failed(struct tx *tx, const struct router_row *router,
                         const char *reason, int64_t after_ms);

/* ---- routes ---- */

struct route_row {
	char id[ID_LEN + 1];
	const char *namespace, *name, *project_id;
	const char *host;		/* of the owner's own; NULL: a generated name */
	const char *labels;		/* JSON */
	const char *backend;
	bool is_scheduled;
	const char *dns;		/* NULL: not scheduled */
	bool is_waiting;		/* another route has the claim of its host */
	const char *last_error;		/* or "" */
	uint32_t attempts;
	const char *router;		/* of its binding, or NULL */
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
/* ERR_EXISTS: a route has the id, or the name in the namespace. */
void store_route_insert(struct tx *tx, const struct route_row *route);
/* Writes host, labels, backend, is_waiting and last_error; the route is due. */
void store_route_update(struct tx *tx, const struct route_row *route);
void store_route_delete(struct tx *tx, const char *id);
/* Locks the namespace, or gives it to the tenant. False: another tenant has it. */
bool store_namespace_claim(struct tx *tx, const char *namespace, const char *project_id);
/* Does the tenant have LIMIT routes or more? */
bool store_project_is_full(struct tx *tx, const char *project_id, int limit);
void store_namespace_lock(struct tx *tx, const char *namespace);
/* Of a locked namespace: without a route it belongs to no tenant. */
void store_namespace_release(struct tx *tx, const char *namespace);
void store_route_set_bound(struct tx *tx, const char *id, const char *dns);
void store_route_set_unbound(struct tx *tx, const char *id, const char *reason);
void store_route_failed(struct tx *tx, const char *id, const char *reason,
                        int64_t after_ms);
/* Clears the errors of at most LIMIT routes of ROUTER, if it takes routes. */
int64_t store_routes_clear_errors(struct tx *tx, const char *router, int limit);
/*
 * Makes at most LIMIT routes without a router due, and as many routes of routers that
 * drain. The result is the larger number of both.
 */
int64_t store_routes_retry_now(struct tx *tx, int limit);

struct route_filter {
	const char *project_id, *namespace, *router;	/* NULL: all */
	const char *phase;
	const char *marker;		/* only ids after this one */
	int limit;
};
typedef void route_fn(void *self, const struct route_row *route);
void store_routes(struct tx *tx, struct arena *arena, const struct route_filter *filter,
                  route_fn *each, void *self);
/* The routes that this process schedules (consistency/membership.h). */
struct route_share {
	uint32_t factor, total;
	int limit;
};
/* Would one of the next two find a route? Locks nothing. */
bool store_routes_any_due(struct tx *tx, const struct route_share *share);
/* Locks due routes without a router. */
void store_routes_unbound(struct tx *tx, struct arena *arena,
                          const struct route_share *share, route_fn *each, void *self);
/* Locks due routes of routers that drain. */
void store_routes_draining(struct tx *tx, struct arena *arena,
                           const struct route_share *share, route_fn *each, void *self);

/* ---- claims of hosts (host_claim.h) ---- */

/* Comes before all else that concerns a host below PARENT. */
void store_parent_lock(struct tx *tx, const char *parent);
/*
 * A lock for many readers and one writer: a transaction that gives a route a host passes
 * one of the gates, and one that creates a router locks all of them.
 */
void store_gate_pass(struct tx *tx);
void store_gates_lock(struct tx *tx);
struct claim_row {
	const char *route_id, *project_id;
};
/* False: no route has a claim of HOST. */
bool store_claim_read(struct tx *tx, struct arena *arena, const char *host,
                      struct claim_row *claim);
/* Does another tenant have a claim of a host right below PARENT? */
bool store_claim_exists_below(struct tx *tx, const char *parent, const char *project_id);
/* False: another route has the claim. */
bool store_claim_take(struct tx *tx, const char *host, const struct route_row *route);
void store_claim_release(struct tx *tx, const char *host, const char *route_id);
/* A host with a claim that DOMAIN contains, or NULL. Reads all claims. */
const char *store_claim_find_below(struct tx *tx, struct arena *arena,
                                   const char *domain);
/* Locks the routes that wait for HOST, the longest wait first, after SKIP of them. */
void store_routes_waiting(struct tx *tx, struct arena *arena, const char *host, int limit,
                          int skip, route_fn *each, void *self);
/* The same for all hosts right below PARENT. */
void store_routes_waiting_below(struct tx *tx, struct arena *arena, const char *parent,
                                int limit, int skip, route_fn *each, void *self);
/* Of routes that wait for HOST: OURS for those of OWNER's tenant, else OTHERS. */
void store_waiting_set_reasons(struct tx *tx, const char *host,
                               const struct route_row *owner, const char *ours,
                               const char *others);
/* Hosts without a claim for which a route waits that could have it. That is a fault. */
void store_hosts_unclaimed(struct tx *tx, struct arena *arena, int limit,
                           void (*each)(void *self, const char *host), void *self);

/* ---- bindings ---- */

struct binding_row {
	const char *namespace, *name, *route_id, *router, *dns;
	const char *router_dns;		/* only store_bindings() sets it */
	uint64_t generation;
};
bool store_binding_read(struct tx *tx, struct arena *arena, const char *route_id,
                        struct binding_row *binding);
/* ERR_EXISTS: another process has bound the route. */
void store_binding_insert(struct tx *tx, const struct binding_row *binding);
void store_binding_update(struct tx *tx, const struct binding_row *binding);
void store_binding_delete(struct tx *tx, const char *route_id);
typedef void binding_fn(void *self, const struct binding_row *binding);
/* Of a router, or of all (NULL), by the route's id. */
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
	uint32_t ttl;			/* the longest one; at least the router's */
	const char *until;		/* the last end of a grace or a ttl; or NULL */
};
void store_router_former_names(struct tx *tx, struct arena *arena,
                               const struct router_row *router,
                               struct former_names_left *left);

/* ---- the hosts that a router's instances serve ---- */

struct host_row {
	const char *route_id, *host, *backend;
};
typedef void host_fn(void *self, const struct host_row *host);
/*
 * Hosts and former names of routes that the router has, or had as long as a CNAME may
 * lead to it. Sorted by route id, after MARKER, of at most LIMIT routes.
 */
void store_router_hosts(struct tx *tx, struct arena *arena, const char *router,
                        const char *marker, int limit, host_fn *each, void *self);
void store_route_hosts(struct tx *tx, struct arena *arena, const char *router,
                       const char *route_id, host_fn *each, void *self);

/* ---- strategies ---- */

/* Other transactions that bind by this strategy wait. */
void store_strategy_lock(struct tx *tx, const char *strategy);
uint64_t store_position_read(struct tx *tx, const char *strategy, const char *label);
void store_position_write(struct tx *tx, const char *strategy, const char *label,
                          uint64_t position);
