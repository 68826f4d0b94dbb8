/*
 * store -- reads and writes the tables of zonefleet-routes: routers, routes, host claims,
 * bindings and former names. No other program writes these tables.
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
	bool is_up;			/* set by the operator */
	bool is_seen;			/* an agent has reported the address, */
	int64_t unseen_ms;		/* and this is the age of the last report */
	bool is_shown;			/* the wildcard of the domain contains it */
	bool has_version;		/* the agent reported a version */
	/* version of the hosts that the instance serves */
	uint64_t version;
};

struct router_row {
	const char *name, *description, *dns, *label;
	bool has_capacity;
	uint32_t capacity, ttl;
	enum router_state state;
	const char *zone;		/* JSON: core/router_domain.h */
	char made_id[ID_LEN + 1];	/* id of the domain, if this worker created it */
	char domain_id[ID_LEN + 1];	/* id of the domain with the last change, or "" */
	uint32_t bound;			/* number of routes */
	/* revision of the domain: desired; accepted by central */
	uint64_t rev, done_rev;
	bool has_serial;
	uint32_t serial, failures;
	enum zone_status zone_status;
	const char *reason;
	struct router_address *addresses;
	size_t count;
	bool is_live;			/* an instance is up and sends reports */
};

enum router_lock { ROUTER_READ, ROUTER_LOCK };
/* Reads a router with its addresses. */
bool store_router_read(struct tx *tx, struct arena *arena, const char *name,
                       enum router_lock lock, struct router_row *router);
/* ERR_EXISTS: another router has the name or the dns. */
void store_router_insert(struct tx *tx, const struct router_row *router);
/* Writes description, label, capacity, ttl and state; makes the domain due. */
void store_router_update(struct tx *tx, const struct router_row *router);
/* Replaces the addresses of ROUTER. Keeps the reports about known addresses. */
void store_addresses_replace(struct tx *tx, const struct router_row *router);
/*
 * The domain shows an address if is_up is set. If the address has an agent, the agent
 * must also have reported the address within TIMEOUT_MS. A process that receives no
 * reports cannot find out whether an agent is silent. The process then keeps the shown
 * addresses.
 */
struct alive_rule {
	int timeout_ms;
	bool is_receiving;
	/* true: if all addresses are down, keep the shown addresses */
	bool keeps;
};
/* True: the domain shows, or may show, an address of the router. */
bool store_addresses_any_usable(struct tx *tx, const char *router,
                                const struct alive_rule *rule);
/* The report of an agent that the instance at the address is alive. */
struct address_report {
	const char *router;
	struct address address;
	bool has_version;
	/* version of the hosts that the instance serves */
	uint64_t version;
};
/*
 * Writes the report if the address is not silent. An address is silent if is_up is set
 * and its last report is older than TIMEOUT_MS. False: the address is silent, or the
 * router has no such address. The function then wrote nothing.
 */
bool store_address_renew(struct tx *tx, const struct address_report *report,
                         int timeout_ms);
/* Writes the report. False: the router has no such address. */
bool store_address_revive(struct tx *tx, const struct address_report *report);
/*
 * Updates which addresses the domain of router NAME shows; NULL: the domains of all
 * routers. Makes the changed domains due and returns their number.
 */
int64_t store_addresses_update_shown(struct tx *tx, const char *name,
                                     const struct alive_rule *rule);
void store_router_delete(struct tx *tx, const char *name);
typedef void router_fn(void *self, const struct router_row *router);
/* Reads routers with names after MARKER, sorted by name. */
void store_routers(struct tx *tx, struct arena *arena, const char *marker, int limit,
                   router_fn *each, void *self);
/*
 * Reads the routers that accept routes, sorted by name. Sets is_live, but not the
 * addresses.
 */
void store_routers_active(struct tx *tx, struct arena *arena,
                          const struct alive_rule *rule, router_fn *each, void *self);
/*
 * The router whose domain is HOST or contains HOST; NULL: no router. If there are
 * several, the router with the longest domain.
 */
const char *store_router_find_host(struct tx *tx, struct arena *arena, const char *host);
/* A router whose domain is below DOMAIN; NULL: no router. */
const char *store_router_find_below(struct tx *tx, struct arena *arena,
                                    const char *domain);
/* Adds BY, 1 or -1, to the number of routes. */
void store_router_add_bound(struct tx *tx, const char *name, int by);
/*
 * Locks the router, so that no other transaction changes it or publishes its domain. Does
 * not wait. False: there is no such router, or another transaction holds the lock.
 */
bool store_router_try_lock(struct tx *tx, const char *name);
/* Makes the domain due, because its records have changed. */
void store_router_touch(struct tx *tx, const char *name);

/* ---- the domains of routers ---- */

/* Reads the names of routers whose domain is due. */
void store_domains_due(struct tx *tx, struct arena *arena, int limit,
                       void (*each)(void *self, const char *name), void *self);
/* Writes the id of the domain in central. */
void store_domain_set_id(struct tx *tx, const char *name, const char *domain_id);
/*
 * Records that the domain is missing. The worker then creates it with the id MADE_ID and
 * sends all records.
 */
void store_domain_set_missing(struct tx *tx, const char *name, const char *made_id);
/* Records that the domain existed before, so the worker never deletes it. */
void store_domain_set_adopted(struct tx *tx, const char *name);
/*
 * PATIENCE_S in the following functions: the longest time for which an instance that is
 * behind can delay a CNAME to its router (store_cname_ready.h).
 */
/* Central has accepted REV as SERIAL. The domain is due again in AFTER_MS. */
struct domain_sent {
	uint64_t rev;
	uint32_t serial;
	int64_t after_ms;
};
void store_domain_sent(struct tx *tx, const char *name, const struct domain_sent *sent,
                       int patience_s);
/*
 * Records that the name servers serve ROUTER's rev. The domain is due in AFTER_MS, or now
 * if there is a newer rev.
 */
void store_domain_set_active(struct tx *tx, const struct router_row *router, int after_ms,
                             int patience_s);
void store_domain_wait(struct tx *tx, const char *name, int64_t after_ms, int patience_s);
/*
 * Records a failure. The domain is due in AFTER_MS, or now if its rev differs from
 * ROUTER's.
 */
void store_domain_failed(struct tx *tx, const struct router_row *router,
                         const char *reason, int64_t after_ms);

/* ---- routes ---- */

struct route_row {
	char id[ID_LEN + 1];
	const char *namespace, *name, *project_id;
	const char *host;		/* chosen by the owner; NULL: a generated name */
	const char *labels;		/* JSON */
	const char *backend;
	bool is_scheduled;
	const char *dns;		/* NULL: not scheduled */
	bool is_waiting;		/* another route has the claim of its host */
	const char *last_error;		/* or "" */
	uint32_t attempts;
	const char *router;		/* router of its binding; NULL: not bound */
	const char *created_at;
};

/* Identifies a route by its id or, if id is NULL, by its namespace and name. */
struct route_key {
	const char *id, *namespace, *name;
};
/* "NAMESPACE/NAME", or the id; for errors. */
static inline const char *route_key_text(const struct route_key *key, struct arena *arena)
{
	return key->id ? key->id : arena_printf(arena, "%s/%s", key->namespace, key->name);
}
bool store_route_read(struct tx *tx, struct arena *arena, const struct route_key *key,
                      struct route_row *route);
bool store_route_lock(struct tx *tx, struct arena *arena, const struct route_key *key,
                      struct route_row *route);
/* ERR_EXISTS: another route has the same id, or the same name in the namespace. */
void store_route_insert(struct tx *tx, const struct route_row *route);
/* Writes host, labels, backend, is_waiting and last_error. Makes the route due. */
void store_route_update(struct tx *tx, const struct route_row *route);
void store_route_delete(struct tx *tx, const char *id);
/*
 * Locks the namespace. If it has no tenant, gives it to PROJECT_ID and sets *was_free.
 * False: it belongs to another tenant.
 */
bool store_namespace_claim(struct tx *tx, const char *namespace, const char *project_id,
                           bool *was_free);
/* True: the tenant has LIMIT routes or more. */
bool store_project_is_full(struct tx *tx, const char *project_id, int limit);
void store_namespace_lock(struct tx *tx, const char *namespace);
/* If a locked namespace has no routes, releases it from its tenant. */
void store_namespace_release(struct tx *tx, const char *namespace);
void store_route_set_bound(struct tx *tx, const char *id, const char *dns);
void store_route_set_unbound(struct tx *tx, const char *id, const char *reason);
void store_route_failed(struct tx *tx, const char *id, const char *reason,
                        int64_t after_ms);
/* Clears the errors of at most LIMIT routes of ROUTER, if ROUTER accepts routes. */
int64_t store_routes_clear_errors(struct tx *tx, const char *router, int limit);
/*
 * Makes at most LIMIT routes without a router due, and at most LIMIT routes of draining
 * routers. Returns the larger of the two numbers.
 */
int64_t store_routes_retry_now(struct tx *tx, int limit);

struct route_filter {
	const char *project_id, *namespace, *router;	/* NULL: all */
	const char *phase;
	const char *marker;		/* only ids after this id */
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
/*
 * True: store_routes_unbound() or store_routes_draining() would find a route. Takes no
 * lock.
 */
bool store_routes_any_due(struct tx *tx, const struct route_share *share);
/* Locks due routes without a router. Skips routes that another transaction has locked. */
void store_routes_unbound(struct tx *tx, struct arena *arena,
                          const struct route_share *share, route_fn *each, void *self);
/* The same for due routes of draining routers. */
void store_routes_draining(struct tx *tx, struct arena *arena,
                           const struct route_share *share, route_fn *each, void *self);

/* ---- claims of hosts (host_claim.h) ---- */

/* Call it before any other statement about a host below PARENT. */
void store_parent_lock(struct tx *tx, const char *parent);
/*
 * The gates are a lock for many readers or one writer. A transaction that gives a host to
 * a route locks one gate. A transaction that creates a router locks all gates.
 */
void store_gate_pass(struct tx *tx);
void store_gates_lock(struct tx *tx);
struct claim_row {
	const char *route_id, *project_id;
};
/* False: no route has the claim of HOST. */
bool store_claim_read(struct tx *tx, struct arena *arena, const char *host,
                      struct claim_row *claim);
/* True: another tenant has a claim of a host directly below PARENT. */
bool store_claim_exists_below(struct tx *tx, const char *parent, const char *project_id);
/* False: another route has the claim. */
bool store_claim_take(struct tx *tx, const char *host, const struct route_row *route);
void store_claim_release(struct tx *tx, const char *host, const char *route_id);
/* A claimed host in DOMAIN; NULL: no host. The statement reads all claims. */
const char *store_claim_find_below(struct tx *tx, struct arena *arena,
                                   const char *domain);
/*
 * Locks the routes that wait for HOST, except the first SKIP of them. The route that has
 * waited longest comes first.
 */
void store_routes_waiting(struct tx *tx, struct arena *arena, const char *host, int limit,
                          int skip, route_fn *each, void *self);
/* The same for all hosts directly below PARENT. */
void store_routes_waiting_below(struct tx *tx, struct arena *arena, const char *parent,
                                int limit, int skip, route_fn *each, void *self);
/*
 * Writes the reasons of the routes that wait for HOST: OURS for routes of OWNER's
 * tenant, OTHERS for other routes.
 */
void store_waiting_set_reasons(struct tx *tx, const char *host,
                               const struct route_row *owner, const char *ours,
                               const char *others);
/*
 * Reads unclaimed hosts for which a route waits although it could have the claim. Such a
 * host is a fault.
 */
void store_hosts_unclaimed(struct tx *tx, struct arena *arena, int limit,
                           void (*each)(void *self, const char *host), void *self);

/* ---- bindings ---- */

struct binding_row {
	const char *namespace, *name, *route_id, *router, *dns;
	const char *router_dns;		/* only set by store_bindings() */
	uint64_t generation;
};
bool store_binding_read(struct tx *tx, struct arena *arena, const char *route_id,
                        struct binding_row *binding);
/* ERR_EXISTS: another process has bound the route. */
void store_binding_insert(struct tx *tx, const struct binding_row *binding);
void store_binding_update(struct tx *tx, const struct binding_row *binding);
void store_binding_delete(struct tx *tx, const char *route_id);
typedef void binding_fn(void *self, const struct binding_row *binding);
/* Reads the bindings of ROUTER (NULL: of all routers), sorted by the route's id. */
void store_bindings(struct tx *tx, struct arena *arena, const char *router,
                    const char *marker, int limit, binding_fn *each, void *self);

/* ---- former names of routes (core/former_name.h) ---- */

struct former_name {
	const char *route_id, *router, *dns;
	const char *target;		/* NULL: the name has no CNAME */
	enum former_state state;
	uint64_t seq;			/* grows with each change of the row */
	/* ttl of a CNAME that the worker has just sent to central; otherwise 0 */
	uint32_t ttl;
};
typedef void former_name_fn(void *self, const struct former_name *former);
/*
 * A name gets its CNAME as soon as all instances of the new router report that they serve
 * the name. If some instances send no reports, the name gets the CNAME after DELAY_S
 * (store_cname_ready.h).
 */
struct former_name_times {
	int delay_s;
	int grace_s;			/* after the delay; at least the router's ttl */
};
void store_former_name_insert(struct tx *tx, const struct former_name *former,
                              const struct former_name_times *times);
/* Sets TARGET as the target of the CNAMEs of all former names of the route. */
void store_former_names_retarget(struct tx *tx, const char *route_id, const char *target,
                                 int delay_s);
/*
 * Records that the route has the name DNS at ROUTER again. The router then serves the
 * name without a CNAME.
 */
void store_former_name_keep(struct tx *tx, const char *route_id, const char *router,
                            const char *dns);
/* Ends all former names of the route. */
void store_former_names_end(struct tx *tx, const char *route_id);
/* Ends each former name that equals the host that the owner of the route has chosen. */
void store_former_names_end_host(struct tx *tx, const char *route_id, const char *host);
/* The routers whose instances serve the route: its current and its former routers. */
void store_route_routers(struct tx *tx, struct arena *arena, const char *route_id,
                         void (*each)(void *self, const char *router), void *self);
/* The same for COUNT routes, 1 to TX_LIST_MAX. */
void store_routes_routers(struct tx *tx, struct arena *arena,
                          const char *const *route_ids, size_t count,
                          void (*each)(void *self, const char *route_id,
                                       const char *router), void *self);
/* Reads at most LIMIT names in STATE whose time is over, the oldest first. */
void store_former_names_expired(struct tx *tx, struct arena *arena,
                                enum former_state state, int limit,
                                former_name_fn *each, void *self);
/*
 * Moves the row to its next state. If the next state is GONE, deletes the row and its
 * claim. False: the row has changed since the read of FORMER. The function then wrote
 * nothing.
 */
bool store_former_name_apply(struct tx *tx, const struct former_name *former,
                             enum former_event event);
/*
 * Writes the version of the hosts that the new routers must serve before a CNAME is
 * ready.
 */
void store_former_names_set_needs(struct tx *tx, const char *router);
/*
 * Call it when an instance of ROUTER has sent a report. Makes the domains due in which a
 * CNAME is now ready.
 */
void store_former_names_wake(struct tx *tx, const char *router, int patience_s);
/*
 * Records that the name servers of a router's domain serve all updates that central has
 * accepted.
 */
void store_former_names_published(struct tx *tx, const struct router_row *router);
/* Reads the names of a router's domain that have an update to send to central now. */
void store_former_names_unsent(struct tx *tx, struct arena *arena, const char *router,
                               int limit, int patience_s, former_name_fn *each,
                               void *self);
/*
 * Reads names after AFTER (its route_id and dns) whose CNAME central already has, in the
 * order of route_id and dns.
 */
void store_former_names_kept(struct tx *tx, struct arena *arena, const char *router,
                             const struct former_name *after, int limit,
                             former_name_fn *each, void *self);
/*
 * Records that central has accepted the updates of these names. Each CNAME has ROUTER's
 * ttl.
 */
void store_former_names_sent(struct tx *tx, const struct router_row *router,
                             const struct former_name *names, size_t count);
/*
 * Makes the worker send all CNAMEs of a router to central again, because the domain is
 * new.
 */
void store_former_names_resend(struct tx *tx, const char *router);
/* The routers whose instances serve routes with a former name at ROUTER. */
void store_router_successors(struct tx *tx, struct arena *arena, const char *router,
                             void (*each)(void *self, const char *router), void *self);
/* Ends all former names at the router. */
void store_router_former_names_end(struct tx *tx, const char *router);
/* Deletes all former names at the router, with their claims. */
void store_router_former_names_delete(struct tx *tx, const char *router);
/* The former names at a router, and the time until the last former name is gone. */
struct former_names_left {
	int64_t count;
	int64_t leading;		/* names that have or will get a CNAME */
	/* names whose CNAME may still be on name servers */
	int64_t leaving;
	uint32_t ttl;			/* the longest ttl; at least the router's */
	/* the latest end of a grace time or ttl; NULL: no names */
	const char *until;
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
 * Reads the hosts and former names of the router's routes, for at most LIMIT routes with
 * ids after MARKER, sorted by route id. Includes the names of former routes while a CNAME
 * may point to the router.
 */
void store_router_hosts(struct tx *tx, struct arena *arena, const char *router,
                        const char *marker, int limit, host_fn *each, void *self);
void store_route_hosts(struct tx *tx, struct arena *arena, const char *router,
                       const char *route_id, host_fn *each, void *self);

/* ---- strategies ---- */

/* Locks the strategy. Other transactions that bind routes by this strategy then wait. */
void store_strategy_lock(struct tx *tx, const char *strategy);
uint64_t store_position_read(struct tx *tx, const char *strategy, const char *label);
void store_position_write(struct tx *tx, const char *strategy, const char *label,
                          uint64_t position);
