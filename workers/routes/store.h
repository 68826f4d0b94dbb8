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
	bool is_up;			/* the operator has marked the address as up */
	bool is_seen;			/* an agent has reported the address */
	/* time since the last report, if is_seen is set */
	int64_t unseen_ms;
	/* the wildcard of the domain contains the address */
	bool is_shown;
	bool has_version;		/* the agent reported a version */
	/* version of the hosts that the instance serves */
	uint64_t version;
};

struct router_row {
	const char *name, *description, *dns, *label;
	bool has_capacity;
	uint32_t capacity, ttl;
	enum router_state state;
	/* initial content of the domain as JSON (core/router_domain.h) */
	const char *zone;
	/* id of the domain that zonefleet-routes created; "": no such domain */
	char made_id[ID_LEN + 1];
	/* id of the domain that accepted the last change; "": no such domain */
	char domain_id[ID_LEN + 1];
	uint32_t bound;			/* number of routes that the router has */
	/*
	 * the current revision of the domain, and the last revision that central accepted
	 */
	uint64_t rev, done_rev;
	bool has_serial;
	uint32_t serial, failures;
	enum zone_status zone_status;
	const char *reason;
	struct router_address *addresses;
	size_t count;
	/* the domain may show at least one address (struct alive_rule) */
	bool is_live;
};

enum router_lock { ROUTER_READ, ROUTER_LOCK };
/* Reads a router with its addresses. False: no router has this name. */
bool store_router_read(struct tx *tx, struct arena *arena, const char *name,
                       enum router_lock lock, struct router_row *router);
/* Inserts a router. ERR_EXISTS: another router has the name or the dns. */
void store_router_insert(struct tx *tx, const struct router_row *router);
/* Writes description, label, capacity, ttl and state. Makes the domain due. */
void store_router_update(struct tx *tx, const struct router_row *router);
/* Replaces the addresses of ROUTER. Keeps the reports about known addresses. */
void store_addresses_replace(struct tx *tx, const struct router_row *router);
/*
 * The domain shows an address if is_up is set. If the address has an agent, the agent
 * must also have reported the address within TIMEOUT_MS. A process that receives no
 * reports cannot find out whether an agent is silent. Such a process keeps the shown
 * addresses.
 */
struct alive_rule {
	int timeout_ms;
	bool is_receiving;
	/* true: if all addresses are down, keep the shown addresses */
	bool keeps;
};
/*
 * True: the domain shows an address of the router, or RULE allows the domain to show an
 * address.
 */
bool store_addresses_any_usable(struct tx *tx, const char *router,
                                const struct alive_rule *rule);
/* The report of an agent: the instance at this address is alive. */
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
 * router has no such address. In this case, the function has written nothing.
 */
bool store_address_renew(struct tx *tx, const struct address_report *report,
                         int timeout_ms);
/* Writes the report. False: the router has no such address. */
bool store_address_revive(struct tx *tx, const struct address_report *report);
/*
 * Updates is_shown of the addresses of router NAME. If NAME is NULL, updates at most 64
 * routers. A further call updates further routers. Makes the domains of the changed
 * routers due. Returns the number of these routers.
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
 * Returns the router whose domain is HOST or contains HOST. If there are several such
 * routers, returns the router with the longest domain. NULL: there is no such router.
 */
const char *store_router_find_host(struct tx *tx, struct arena *arena, const char *host);
/* Returns a router whose domain is below DOMAIN. NULL: there is no such router. */
const char *store_router_find_below(struct tx *tx, struct arena *arena,
                                    const char *domain);
/* Adds BY (1 or -1) to `bound` of the router. */
void store_router_add_bound(struct tx *tx, const char *name, int by);
/*
 * Locks the router, so that no other transaction changes the router or publishes its
 * domain. Does not wait. False: there is no such router, or another transaction holds the
 * lock.
 */
bool store_router_try_lock(struct tx *tx, const char *name);
/* Makes the domain due, because its records have changed. */
void store_router_touch(struct tx *tx, const char *name);

/* ---- the domains of routers ---- */

/* Reads the names of routers whose domain is due. */
void store_domains_due(struct tx *tx, struct arena *arena, int limit,
                       void (*each)(void *self, const char *name), void *self);
/* Writes domain_id. */
void store_domain_set_id(struct tx *tx, const char *name, const char *domain_id);
/*
 * Writes MADE_ID. After this, the worker creates the domain with this id and sends all
 * records. Call it if central does not have the domain.
 */
void store_domain_set_missing(struct tx *tx, const char *name, const char *made_id);
/*
 * Clears made_id, so the worker never deletes the domain. Call it if another program
 * created the domain.
 */
void store_domain_set_adopted(struct tx *tx, const char *name);
/*
 * In the following functions, PATIENCE_S is the longest time by which an instance with
 * an old version of the hosts can delay a CNAME to its router (store_cname_ready.h). If
 * a CNAME is ready before AFTER_MS, the domain is due at that time.
 */
/*
 * The change that central has accepted: the revision REV with the serial SERIAL. The
 * domain is due again after AFTER_MS, or now if the row has a newer revision.
 */
struct domain_sent {
	uint64_t rev;
	uint32_t serial;
	int64_t after_ms;
};
void store_domain_sent(struct tx *tx, const char *name, const struct domain_sent *sent,
                       int patience_s);
/*
 * Calls store_former_names_published(). If the row has no newer revision than
 * router->rev, also sets zone_status to ACTIVE, and makes the domain due again after
 * AFTER_MS. Call it if the name servers serve the revision router->rev.
 */
void store_domain_set_active(struct tx *tx, const struct router_row *router, int after_ms,
                             int patience_s);
/* Makes the domain due after AFTER_MS, or now if central lacks the newest revision. */
void store_domain_wait(struct tx *tx, const char *name, int64_t after_ms, int patience_s);
/*
 * Sets zone_status to ERROR with REASON. The domain is due after AFTER_MS. If the
 * revision of the row is not router->rev, the domain is due now.
 */
void store_domain_failed(struct tx *tx, const struct router_row *router,
                         const char *reason, int64_t after_ms);

/* ---- routes ---- */

struct route_row {
	char id[ID_LEN + 1];
	const char *namespace, *name, *project_id;
	/* host that the owner has chosen; NULL: the route gets a generated name */
	const char *host;
	const char *labels;		/* labels as JSON */
	const char *backend;
	bool is_scheduled;
	const char *dns;		/* name of the route; NULL: not scheduled */
	bool is_waiting;		/* another route has the claim on `host` */
	const char *last_error;		/* reason of the last failure, or "" */
	uint32_t attempts;
	const char *router;		/* router of the binding; NULL: not bound */
	const char *created_at;
};

/* Identifies a route by its id or, if id is NULL, by its namespace and name. */
struct route_key {
	const char *id, *namespace, *name;
};
/* Returns the id, or "NAMESPACE/NAME", for the text of an error. */
static inline const char *route_key_text(const struct route_key *key, struct arena *arena)
{
	return key->id ? key->id
	               : arena_printf(arena, "%s/%s", key->namespace, key->name);
}
bool store_route_read(struct tx *tx, struct arena *arena, const struct route_key *key,
                      struct route_row *route);
bool store_route_lock(struct tx *tx, struct arena *arena, const struct route_key *key,
                      struct route_row *route);
/*
 * Inserts a route. ERR_EXISTS: another route has the same id, or the same name in the
 * namespace.
 */
void store_route_insert(struct tx *tx, const struct route_row *route);
/* Writes host, labels, backend, is_waiting and last_error. Makes the route due. */
void store_route_update(struct tx *tx, const struct route_row *route);
void store_route_delete(struct tx *tx, const char *id);
/*
 * Locks the namespace. If the namespace has no tenant, gives the namespace to PROJECT_ID
 * and sets *was_free to true. False: the namespace belongs to another tenant.
 */
bool store_namespace_claim(struct tx *tx, const char *namespace, const char *project_id,
                           bool *was_free);
/* True: the tenant has LIMIT routes or more. */
bool store_project_is_full(struct tx *tx, const char *project_id, int limit);
void store_namespace_lock(struct tx *tx, const char *namespace);
/*
 * If the namespace has no routes, takes the namespace from its tenant. The caller must
 * have locked the namespace.
 */
void store_namespace_release(struct tx *tx, const char *namespace);
void store_route_set_bound(struct tx *tx, const char *id, const char *dns);
void store_route_set_unbound(struct tx *tx, const char *id, const char *reason);
void store_route_failed(struct tx *tx, const char *id, const char *reason,
                        int64_t after_ms);
/*
 * If ROUTER accepts routes, clears the errors of at most LIMIT of its routes. Returns the
 * number of these routes.
 */
int64_t store_routes_clear_errors(struct tx *tx, const char *router, int limit);
/*
 * Makes routes due that wait for a retry: at most LIMIT routes without a router, and at
 * most LIMIT routes of draining routers. The function does not change routes that wait
 * for a host. Returns the larger of the two numbers.
 */
int64_t store_routes_retry_now(struct tx *tx, int limit);

struct route_filter {
	const char *project_id, *namespace, *router;	/* NULL: no filter */
	const char *phase;		/* NULL: all phases */
	const char *marker;		/* reads only rows with ids after this id */
	int limit;
};
typedef void route_fn(void *self, const struct route_row *route);
void store_routes(struct tx *tx, struct arena *arena, const struct route_filter *filter,
                  route_fn *each, void *self);
/* The share of the routes that this process schedules (consistency/membership.h). */
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
/* Like store_routes_unbound(), but locks due routes of draining routers. */
void store_routes_draining(struct tx *tx, struct arena *arena,
                           const struct route_share *share, route_fn *each, void *self);

/* ---- claims on hosts (host_claim.h) ---- */

/* Locks PARENT. Call it before any other statement about a host directly below PARENT. */
void store_parent_lock(struct tx *tx, const char *parent);
/*
 * store_gate_pass() locks one gate, for a transaction that gives a host to a route or
 * takes a host from a route. store_gates_lock() locks all gates, for a transaction that
 * creates a router.
 */
void store_gate_pass(struct tx *tx);
void store_gates_lock(struct tx *tx);
struct claim_row {
	const char *route_id, *project_id;
};
/* Reads and locks the claim on HOST. False: no route has the claim. */
bool store_claim_read(struct tx *tx, struct arena *arena, const char *host,
                      struct claim_row *claim);
/* True: a route of another tenant has a claim on a host directly below PARENT. */
bool store_claim_exists_below(struct tx *tx, const char *parent, const char *project_id);
/* Gives the claim on HOST to ROUTE. False: another route has the claim. */
bool store_claim_take(struct tx *tx, const char *host, const struct route_row *route);
void store_claim_release(struct tx *tx, const char *host, const char *route_id);
/*
 * Returns a claimed host that is DOMAIN or below DOMAIN. NULL: there is no such host.
 * This function is slow, because the statement reads all claims.
 */
const char *store_claim_find_below(struct tx *tx, struct arena *arena,
                                   const char *domain);
/*
 * Locks at most LIMIT routes that wait for HOST. The route that has waited longest is the
 * first route. Skips the first SKIP routes.
 */
void store_routes_waiting(struct tx *tx, struct arena *arena, const char *host, int limit,
                          int skip, route_fn *each, void *self);
/* Like store_routes_waiting(), but for all hosts directly below PARENT. */
void store_routes_waiting_below(struct tx *tx, struct arena *arena, const char *parent,
                                int limit, int skip, route_fn *each, void *self);
/*
 * Writes last_error of the routes that wait for HOST. Routes of OWNER's tenant get the
 * text OURS. Other routes get the text OTHERS.
 */
void store_waiting_set_reasons(struct tx *tx, const char *host,
                               const struct route_row *owner, const char *ours,
                               const char *others);
/*
 * Reads the unclaimed hosts for which a route waits, although the route could have the
 * claim. Only a fault can leave such a host unclaimed.
 */
void store_hosts_unclaimed(struct tx *tx, struct arena *arena, int limit,
                           void (*each)(void *self, const char *host), void *self);

/* ---- bindings ---- */

struct binding_row {
	const char *namespace, *name, *route_id, *router, *dns;
	/* domain of the router. Only store_bindings() sets this member. */
	const char *router_dns;
	uint64_t generation;
};
bool store_binding_read(struct tx *tx, struct arena *arena, const char *route_id,
                        struct binding_row *binding);
/* ERR_EXISTS: another process has bound the route. */
void store_binding_insert(struct tx *tx, const struct binding_row *binding);
void store_binding_update(struct tx *tx, const struct binding_row *binding);
void store_binding_delete(struct tx *tx, const char *route_id);
typedef void binding_fn(void *self, const struct binding_row *binding);
/*
 * Reads at most LIMIT bindings of ROUTER (NULL: of all routers), sorted by route_id.
 * MARKER: reads only bindings with a route_id after MARKER.
 */
void store_bindings(struct tx *tx, struct arena *arena, const char *router,
                    const char *marker, int limit, binding_fn *each, void *self);

/* ---- former names of routes (core/former_name.h) ---- */

struct former_name {
	const char *route_id, *router, *dns;
	/* target of the CNAME; NULL: the name has no CNAME */
	const char *target;
	enum former_state state;
	uint64_t seq;			/* each change of the row raises this number */
	/*
	 * TTL of the CNAME that the worker has just sent to central; 0: the worker has
	 * sent no CNAME
	 */
	uint32_t ttl;
};
typedef void former_name_fn(void *self, const struct former_name *former);
/*
 * A former name gets its CNAME as soon as all instances of the new router report that
 * they serve the former name. If some instances send no reports, the former name gets
 * its CNAME after DELAY_S. An instance with an old version of the hosts can delay the
 * CNAME longer (store_cname_ready.h).
 */
struct former_name_times {
	int delay_s;
	/*
	 * Length of the grace time, which begins after the delay. If the router's ttl is
	 * longer, the grace time is the ttl.
	 */
	int grace_s;
};
void store_former_name_insert(struct tx *tx, const struct former_name *former,
                              const struct former_name_times *times);
/* Sets TARGET as the target of the CNAMEs of all former names of the route. */
void store_former_names_retarget(struct tx *tx, const char *route_id, const char *target,
                                 int delay_s);
/*
 * Moves the former name DNS of the route at ROUTER to the state WITHDRAW. After this,
 * the worker deletes the CNAME, and the router serves the name without a CNAME. Call it
 * if the route has this name at ROUTER again.
 */
void store_former_name_keep(struct tx *tx, const char *route_id, const char *router,
                            const char *dns);
/*
 * Moves all former names of the route to the state DROP, and makes the domains of their
 * routers due.
 */
void store_former_names_end(struct tx *tx, const char *route_id);
/*
 * Like store_former_names_end(), but only for the former names that are equal to HOST,
 * because the owner of the route has chosen this host.
 */
void store_former_names_end_host(struct tx *tx, const char *route_id, const char *host);
/*
 * Reads the current router of the route and the routers at which the route has a former
 * name.
 */
void store_route_routers(struct tx *tx, struct arena *arena, const char *route_id,
                         void (*each)(void *self, const char *router), void *self);
/*
 * Like store_route_routers(), but for COUNT routes (1 to TX_LIST_MAX). The function can
 * call EACH twice for the same router.
 */
void store_routes_routers(struct tx *tx, struct arena *arena,
                          const char *const *route_ids, size_t count,
                          void (*each)(void *self, const char *route_id,
                                       const char *router), void *self);
/*
 * Reads at most LIMIT names in STATE whose time in this state is over, sorted by the end
 * of this time.
 */
void store_former_names_expired(struct tx *tx, struct arena *arena,
                                enum former_state state, int limit,
                                former_name_fn *each, void *self);
/*
 * Moves the row to the state that follows EVENT. If this state is GONE, deletes the row,
 * and also deletes the claim of the name, unless the route uses the name again. False:
 * the row has changed since the read of FORMER. In this case, the function has written
 * nothing.
 */
bool store_former_name_apply(struct tx *tx, const struct former_name *former,
                             enum former_event event);
/*
 * Writes a version to the row of each CNAME that ROUTER's domain must get: the current
 * version of the hosts of the new router. The CNAME is ready when the instances of the
 * new router serve this version.
 */
void store_former_names_set_needs(struct tx *tx, const char *router);
/*
 * Makes each domain due that must get a CNAME to ROUTER, if this CNAME is now ready. Call
 * it when an instance of ROUTER has sent a report.
 */
void store_former_names_wake(struct tx *tx, const char *router, int patience_s);
/*
 * Moves the former names at ROUTER from TOLD to HAVE, and from WITHDRAWN to CACHED. Call
 * it if the name servers of ROUTER's domain serve all updates that central has accepted.
 */
void store_former_names_published(struct tx *tx, const struct router_row *router);
/*
 * Reads at most LIMIT former names at ROUTER whose update the worker must send to central
 * now.
 */
void store_former_names_unsent(struct tx *tx, struct arena *arena, const char *router,
                               int limit, int patience_s, former_name_fn *each,
                               void *self);
/*
 * Reads at most LIMIT former names at ROUTER whose CNAME central already has, sorted by
 * route_id and dns. Begins after the route_id and dns of AFTER.
 */
void store_former_names_kept(struct tx *tx, struct arena *arena, const char *router,
                             const struct former_name *after, int limit,
                             former_name_fn *each, void *self);
/*
 * Moves each name to its next state, unless its row has changed since the read. Stores
 * the larger of ROUTER's ttl and the stored TTL. Call it if central has accepted the
 * updates of these names.
 */
void store_former_names_sent(struct tx *tx, const struct router_row *router,
                             const struct former_name *names, size_t count);
/*
 * After the call, the worker sends all CNAMEs that central had accepted for ROUTER's
 * domain to central again. Call it if central has a new domain with the same name.
 */
void store_former_names_resend(struct tx *tx, const char *router);
/* Reads the routers whose instances serve a route that has a former name at ROUTER. */
void store_router_successors(struct tx *tx, struct arena *arena, const char *router,
                             void (*each)(void *self, const char *router), void *self);
/* Moves all former names at the router to the state DROP. */
void store_router_former_names_end(struct tx *tx, const char *router);
/*
 * Deletes all former names at the router. Also deletes the claims of these names, except
 * of names that the route uses again.
 */
void store_router_former_names_delete(struct tx *tx, const char *router);
/* The number of former names at a router, and the time when the last former name ends. */
struct former_names_left {
	int64_t count;			/* number of former names */
	/* number of names that have a CNAME or will get a CNAME */
	int64_t leading;
	/*
	 * Number of names whose CNAME central must delete or has deleted. Some name
	 * servers possibly still serve the CNAME.
	 */
	int64_t leaving;
	/* the longest TTL of the CNAMEs and of the router */
	uint32_t ttl;
	/*
	 * the latest end of a grace time or TTL; NULL: no name has such an end (all names
	 * are in `leaving`, or there are no names)
	 */
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
 * ids after MARKER, sorted by route id. Also reads the names of routes that have a former
 * name at the router.
 */
void store_router_hosts(struct tx *tx, struct arena *arena, const char *router,
                        const char *marker, int limit, host_fn *each, void *self);
/* Like store_router_hosts(), but reads the hosts of only one route. */
void store_route_hosts(struct tx *tx, struct arena *arena, const char *router,
                       const char *route_id, host_fn *each, void *self);

/* ---- strategies ---- */

/*
 * Locks the positions of the strategy. Other transactions that bind routes by this
 * strategy wait until TX ends.
 */
void store_strategy_lock(struct tx *tx, const char *strategy);
uint64_t store_position_read(struct tx *tx, const char *strategy, const char *label);
void store_position_write(struct tx *tx, const char *strategy, const char *label,
                          uint64_t position);
