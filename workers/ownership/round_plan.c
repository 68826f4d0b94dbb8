#include "round_private.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/map.h"
#include "consistency/heartbeat.h"
#include "round_orders.h"
#include "storage.h"

/* ---- rows come in ---- */

static void take_made(void *self, const struct made_row *row)
{
	struct round *round = self;
	struct set_key key = set_key_of(&row->name, row->is.type);
	struct made *made = arena_alloc(round->arena, sizeof(*made));

	*made = (struct made){ round->all_made, *row };
	round->all_made = made;
	map_put(round->made, key.octets, key.len, &made->row);
}

static void take_endpoint(void *self, const struct endpoint *endpoint)
{
	struct round *round = self;
	struct wanting *wanting = arena_alloc(round->arena, sizeof(*wanting));

	*wanting = (struct wanting){ round->all_wanted, *endpoint };
	round->all_wanted = wanting;
}

static void take_source(void *self, const struct source *source)
{
	struct round *round = self;

	round->is_complete = round->is_complete && source->is_complete;
	if (source->is_complete)
		map_put(round->sure, source->resource, strlen(source->resource), round);
}

/* A mark without a resource is of any of them. */
static bool is_sure(void *self, const char *resource)
{
	const struct round *round = self;

	if (!resource)
		return round->is_complete && map_count(round->sure);
	return map_get(round->sure, resource, strlen(resource));
}

static enum err read_rows(struct round *round, struct why *why)
{
	struct tx tx = tx_begin_snapshot(round->ownership->runtime.db, why);
	const char *id = round->row.id;

	if (!store_registry_read(&tx, round->arena, id, &round->row))
		tx_fail(&tx, ERR_NOT_FOUND, "the registry has no row");
	round->is_complete = true;
	store_sources(&tx, round->arena, id, take_source, round);
	store_made(&tx, round->arena, id, take_made, round);
	store_endpoints(&tx, round->arena, id, NULL, take_endpoint, round);
	round->registry->storage->records(round, &tx);
	orders_read(round, &tx);
	return tx_commit(&tx);
}

/* What the rows say, now that it is known whose the records are. */
static void tell_plan(struct round *round)
{
	for (const struct made *made = round->all_made; made; made = made->next)
		if (made->row.is.count)
			plan_made(round->view, &made->row.name, &made->row.is);
	for (const struct wanting *at = round->all_wanted; at; at = at->next)
		plan_want(round->view, &at->endpoint.name, &(struct desired){
			.rrset = at->endpoint.rrset, .has_ttl = at->endpoint.has_ttl,
			.is_shared = at->endpoint.is_shared,
			.resource = at->endpoint.resource });
}

/* Somebody looked at just this, and said that it may be done. */
static void release_approved(struct round *round)
{
	round_digest(round);
	if (!*round->digest || strcmp(round->digest, round->row.approved))
		return;
	for (size_t i = 0; i < round->plan.count; i++)
		round->plan.items[i].is_held = false;
	round->plan.held = 0;
	round->digest[0] = '\0';
}

enum err round_plan(struct round *round, struct why *why)
{
	const struct registry *registry = round->registry;
	int64_t began = clock_us();

	enum err err = read_rows(round, why);

	if (err)
		return err;
	view_settle(round->view, &registry->marks);
	tell_plan(round);
	orders_plan(round);
	plan_make(round->view, &registry->rules, true, &round->plan);
	plan_hold_unsure(&round->plan, is_sure, round);
	release_approved(round);
	log_debug("zone planned: zone=%s storage=%s items=%zu held=%zu ms=%lld",
	          registry->zone_text, registry->settings->storage_id, round->plan.count,
	          round->plan.held, (long long)(clock_us() - began) / 1000);
	return OK;
}
