#include "host_claim.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"

enum { PAGE = 100 };

/* ---- take ---- */

static const char *claim_wildcard(struct arena *arena, const char *host)
{
	return arena_printf(arena, "*.%s", host_parent(host));
}

enum { WORDS_MAX = 512 };

static void claim_name_owner(const struct route_row *owner, const char *host,
                             char words[WORDS_MAX])
{
	snprintf(words, WORDS_MAX, "host %.253s belongs to route %.63s/%.100s", host,
	         owner->namespace, owner->name);
}

static void claim_hide_owner(const char *host, char words[WORDS_MAX])
{
	snprintf(words, WORDS_MAX, "host %.253s belongs to another tenant", host);
}

/* Writes the reason. It does not name a route of another tenant. */
static void claim_explain(struct tx *tx, struct arena *arena,
                          const struct route_row *route,
                          const struct claim_row *claim, const char *host,
                          struct why *why)
{
	struct route_row owner;

	if (!strcmp(claim->project_id, route->project_id) &&
	    store_route_read(tx, arena, &(struct route_key){ .id = claim->route_id },
	                     &owner))
		claim_name_owner(&owner, host, why->text);
	else
		claim_hide_owner(host, why->text);
}

static bool claim_is_taken(struct tx *tx, struct arena *arena,
                           const struct route_row *route, struct why *why)
{
	struct claim_row claim;

	if (!store_claim_read(tx, arena, route->host, &claim) ||
	    !strcmp(claim.route_id, route->id))
		return false;
	claim_explain(tx, arena, route, &claim, route->host, why);
	return true;
}

/* True: another tenant has the wildcard above, or hosts below this wildcard. */
static bool claim_is_covered(struct tx *tx, struct arena *arena,
                             const struct route_row *route, struct why *why)
{
	const char *wildcard = claim_wildcard(arena, route->host);
	struct claim_row claim;

	if (host_is_wildcard(route->host)) {
		if (!store_claim_exists_below(tx, host_parent(route->host),
		                              route->project_id))
			return false;
		fail(why, ERR_EXISTS, "another tenant has hosts below %.253s",
		     host_parent(route->host));
		return true;
	}
	if (!store_claim_read(tx, arena, wildcard, &claim) ||
	    !strcmp(claim.project_id, route->project_id))
		return false;
	claim_explain(tx, arena, route, &claim, wildcard, why);
	return true;
}

bool host_claim_take(struct tx *tx, struct arena *arena, const struct route_row *route,
                     struct why *why)
{
	if (claim_is_taken(tx, arena, route, why) || claim_is_covered(tx, arena, route,
	                                                              why))
		return false;
	return store_claim_take(tx, route->host, route);
}

/* ---- release ---- */

struct claim_queue {
	struct tx *tx;
	struct arena *arena;
	struct route_row *list;
	size_t count;
	void (*each)(void *self, const char *id);
	void *self;
};

/* Writes the new owner into the reason of all routes that still wait. */
static void queue_set_reasons(struct claim_queue *queue, const struct route_row *owner)
{
	char ours[WORDS_MAX], others[WORDS_MAX];

	claim_name_owner(owner, owner->host, ours);
	claim_hide_owner(owner->host, others);
	store_waiting_set_reasons(queue->tx, owner->host, owner, ours, others);
}

/* True: a router now has a domain that contains the host, so the route cannot have it. */
static bool queue_refuse_generated(struct claim_queue *queue, struct route_row *route)
{
	const char *router;

	store_gate_pass(queue->tx);
	router = store_router_find_host(queue->tx, queue->arena, route->host);
	if (!router)
		return false;
	route->last_error = arena_printf(queue->arena, "host: must not be in the domain "
	                                 "of router %.63s, where zonefleet-routes "
	                                 "generates the names", router);
	store_route_update(queue->tx, route);
	return true;
}

/* True: the route no longer waits. */
static bool queue_promote(struct claim_queue *queue, struct route_row *route)
{
	struct why why;

	if (queue_refuse_generated(queue, route) ||
	    !host_claim_take(queue->tx, queue->arena, route, &why))
		return false;
	route->is_waiting = false;
	route->last_error = "";
	store_route_update(queue->tx, route);
	queue_set_reasons(queue, route);
	if (queue->each && !queue->tx->err)
		queue->each(queue->self, route->id);
	return true;
}

static void queue_add(void *self, const struct route_row *route)
{
	struct claim_queue *queue = self;

	queue->list[queue->count++] = *route;
}

typedef void waiting_fn(struct tx *tx, struct arena *arena, const char *where, int limit,
                        int skip, route_fn *each, void *self);

/*
 * Gives claims to all waiting routes that can have one, the longest wait first. FIRST:
 * only to the first such route. The other routes still wait for a claim, or because of
 * another tenant's wildcard.
 */
static void queue_promote_all(struct claim_queue *queue, waiting_fn *waiting,
                              const char *where, bool first)
{
	int kept = 0;

	do {
		queue->list = arena_alloc(queue->arena, PAGE * sizeof(*queue->list));
		queue->count = 0;
		waiting(queue->tx, queue->arena, where, PAGE, kept, queue_add, queue);
		for (size_t i = 0; i < queue->count && !queue->tx->err; i++) {
			bool is_promoted = queue_promote(queue, &queue->list[i]);

			if (is_promoted && first)
				return;
			kept += !is_promoted;
		}
	} while (queue->count == PAGE && !queue->tx->err);
}

static bool queue_is_free(struct claim_queue *queue, const char *host)
{
	struct claim_row claim;

	return !store_claim_read(queue->tx, queue->arena, host, &claim);
}

static void queue_promote_first(struct claim_queue *queue, const char *host)
{
	if (queue_is_free(queue, host))
		queue_promote_all(queue, store_routes_waiting, host, true);
}

/* A route that only waited has no claim, so its deletion frees no host. */
static void queue_promote_for(struct claim_queue *queue, const char *host)
{
	if (!queue_is_free(queue, host))
		return;
	queue_promote_first(queue, host);
	if (host_is_wildcard(host))
		queue_promote_all(queue, store_routes_waiting_below, host_parent(host),
		                  false);
	else
		queue_promote_first(queue, claim_wildcard(queue->arena, host));
}

void host_claim_release(struct tx *tx, struct arena *arena, const char *host,
                        const char *route_id, void (*each)(void *self, const char *id),
                        void *self)
{
	struct claim_queue queue = {
		.tx = tx, .arena = arena, .each = each, .self = self,
	};

	store_claim_release(tx, host, route_id);
	store_former_names_end_host(tx, route_id, host);
	queue_promote_for(&queue, host);
}

/* ---- repair of hosts without a claim ---- */

enum { SWEEP_MAX = 64 };

struct claim_sweep {
	struct routes *routes;
	struct arena *arena;
	const char *hosts[SWEEP_MAX];
	size_t count;
};

static void sweep_add(void *self, const char *host)
{
	struct claim_sweep *sweep = self;

	sweep->hosts[sweep->count++] = host;
}

static enum err sweep_read(void *self, struct why *why)
{
	struct claim_sweep *sweep = self;
	struct tx tx = tx_autocommit(sweep->routes->runtime.db, why);

	sweep->count = 0;
	store_hosts_unclaimed(&tx, sweep->arena, SWEEP_MAX, sweep_add, sweep);
	return tx_commit(&tx);
}

/* Repairs the last host. */
static enum err sweep_repair(void *self, struct why *why)
{
	struct claim_sweep *sweep = self;
	const char *host = sweep->hosts[sweep->count - 1];
	struct tx tx = tx_begin(sweep->routes->runtime.db, why);
	struct claim_queue queue = { .tx = &tx, .arena = sweep->arena };

	store_parent_lock(&tx, host_parent(host));
	queue_promote_for(&queue, host);
	return tx_commit(&tx);
}

void host_claim_fire(struct routes *routes)
{
	struct claim_sweep sweep = { .routes = routes, .arena = arena_new() };
	struct why why;

	if (tx_retry_on_loop(sweep_read, &sweep, &why)) {
		log_warn("cannot read which hosts have no row in host_claims: "
		         "reason=\"%s\"",
		         why.text);
		sweep.count = 0;
	}
	for (; sweep.count; sweep.count--)
		if (tx_retry_on_loop(sweep_repair, &sweep, &why))
			log_warn("row in host_claims not added: host=%s reason=\"%s\"",
			         sweep.hosts[sweep.count - 1], why.text);
	arena_free(&sweep.arena);
}
