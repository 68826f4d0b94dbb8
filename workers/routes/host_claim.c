#include "host_claim.h"

#include <stdio.h>
#include <string.h>

enum { PAGE = 100 };

/* ---- take ---- */

static const char *wildcard_of(struct arena *arena, const char *host)
{
	return arena_printf(arena, "*.%s", host_parent(host));
}

enum { WORDS_MAX = 512 };

static void words_of_ours(const struct route_row *owner, const char *host,
                          char words[WORDS_MAX])
{
	snprintf(words, WORDS_MAX, "host %.253s is route %.63s/%.100s's", host,
	         owner->namespace, owner->name);
}

static void words_of_others(const char *host, char words[WORDS_MAX])
{
	snprintf(words, WORDS_MAX, "host %.253s is another project's", host);
}

/* Of another project no more is said than that. */
static void tell_owner(struct tx *tx, struct arena *arena, const struct route_row *route,
                       const struct claim_row *claim, const char *host, struct why *why)
{
	struct route_row owner;

	if (!strcmp(claim->project_id, route->project_id) &&
	    store_route_read(tx, arena, &(struct route_key){ .id = claim->route_id },
	                     &owner))
		words_of_ours(&owner, host, why->text);
	else
		words_of_others(host, why->text);
}

static bool is_taken(struct tx *tx, struct arena *arena, const struct route_row *route,
                     struct why *why)
{
	struct claim_row claim;

	if (!store_claim_read(tx, arena, route->host, &claim) ||
	    !strcmp(claim.route_id, route->id))
		return false;
	tell_owner(tx, arena, route, &claim, route->host, why);
	return true;
}

/* By a wildcard, or because it is one. */
static bool is_covered(struct tx *tx, struct arena *arena, const struct route_row *route,
                       struct why *why)
{
	const char *wildcard = wildcard_of(arena, route->host);
	struct claim_row claim;

	if (host_is_wildcard(route->host)) {
		if (!store_claim_is_foreign_below(tx, host_parent(route->host),
		                                  route->project_id))
			return false;
		fail(why, ERR_EXISTS, "another project has hosts below %.253s",
		     host_parent(route->host));
		return true;
	}
	if (!store_claim_read(tx, arena, wildcard, &claim) ||
	    !strcmp(claim.project_id, route->project_id))
		return false;
	tell_owner(tx, arena, route, &claim, wildcard, why);
	return true;
}

bool claims_take(struct tx *tx, struct arena *arena, const struct route_row *route,
                 struct why *why)
{
	if (is_taken(tx, arena, route, why) || is_covered(tx, arena, route, why))
		return false;
	return store_claim_take(tx, route->host, route);
}

/* ---- free ---- */

struct heirs {
	struct tx *tx;
	struct arena *arena;
	struct route_row *list;
	size_t count;
	void (*each)(void *self, const char *id);
	void *self;
};

/* All others wait for somebody else now. */
static void tell_waiting(struct heirs *heirs, const struct route_row *owner)
{
	char ours[WORDS_MAX], others[WORDS_MAX];

	words_of_ours(owner, owner->host, ours);
	words_of_others(owner->host, others);
	store_waiting_tell(heirs->tx, owner->host, owner, ours, others);
}

/* While it waited its host may have come into the domain of a router. */
static bool is_generated_by_now(struct heirs *heirs, struct route_row *route)
{
	const char *router;

	store_gate_pass(heirs->tx);
	router = store_router_of_host(heirs->tx, heirs->arena, route->host);
	if (!router)
		return false;
	route->last_error = arena_printf(heirs->arena, "host: is in the domain of router "
	                                 "%.63s, where names are generated", router);
	store_route_update(heirs->tx, route);
	return true;
}

/* True: it waits no more. */
static bool promote(struct heirs *heirs, struct route_row *route)
{
	struct why why;

	if (is_generated_by_now(heirs, route) ||
	    !claims_take(heirs->tx, heirs->arena, route, &why))
		return false;
	route->is_waiting = false;
	route->last_error = "";
	store_route_update(heirs->tx, route);
	tell_waiting(heirs, route);
	if (heirs->each && !heirs->tx->err)
		heirs->each(heirs->self, route->id);
	return true;
}

static void take_waiting(void *self, const struct route_row *route)
{
	struct heirs *heirs = self;

	heirs->list[heirs->count++] = *route;
}

typedef void waiting_fn(struct tx *tx, struct arena *arena, const char *where, int limit,
                        int skip, route_fn *each, void *self);

/*
 * Of those who wait, longest first: the first ONE who can have what is free, or all of
 * them. Some go on waiting, for others or because somebody has what is around it.
 */
static void promote_all(struct heirs *heirs, waiting_fn *waiting, const char *where,
                        bool one)
{
	int kept = 0;

	do {
		heirs->list = arena_alloc(heirs->arena, PAGE * sizeof(*heirs->list));
		heirs->count = 0;
		waiting(heirs->tx, heirs->arena, where, PAGE, kept, take_waiting, heirs);
		for (size_t i = 0; i < heirs->count && !heirs->tx->err; i++) {
			bool is_promoted = promote(heirs, &heirs->list[i]);

			if (is_promoted && one)
				return;
			kept += !is_promoted;
		}
	} while (heirs->count == PAGE && !heirs->tx->err);
}

static bool is_free(struct heirs *heirs, const char *host)
{
	struct claim_row claim;

	return !store_claim_read(heirs->tx, heirs->arena, host, &claim);
}

static void promote_longest(struct heirs *heirs, const char *host)
{
	if (is_free(heirs, host))
		promote_all(heirs, store_routes_waiting, host, true);
}

/* Of one that only waited for it nothing is free by that. */
static void promote_for(struct heirs *heirs, const char *host)
{
	if (!is_free(heirs, host))
		return;
	promote_longest(heirs, host);
	if (host_is_wildcard(host))
		promote_all(heirs, store_routes_waiting_below, host_parent(host), false);
	else
		promote_longest(heirs, wildcard_of(heirs->arena, host));
}

void claims_free(struct tx *tx, struct arena *arena, const char *host,
                 const char *route_id, void (*each)(void *self, const char *id),
                 void *self)
{
	struct heirs heirs = { .tx = tx, .arena = arena, .each = each, .self = self };

	store_claim_drop(tx, host, route_id);
	store_former_names_end_host(tx, route_id, host);
	promote_for(&heirs, host);
}

void claims_settle(struct tx *tx, struct arena *arena, const char *host)
{
	struct heirs heirs = { .tx = tx, .arena = arena };

	store_parent_lock(tx, host_parent(host));
	promote_for(&heirs, host);
}
