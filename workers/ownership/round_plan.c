#include "round_private.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/map.h"
#include "consistency/membership.h"
#include "round_orders.h"
#include "storage.h"

/* ---- rows ---- */

static void round_add_owned(void *self, const struct owned_row *row)
{
	struct round *round = self;
	struct set_key key = set_key_of(&row->name, row->rrset.type);
	struct owned_row *owned = arena_dup(round->arena, row, sizeof(*row));

	owned->next = round->owned_rows;
	round->owned_rows = owned;
	map_put(round->owned, key.octets, key.len, owned);
}

static void round_add_endpoint(void *self, const struct endpoint *row)
{
	struct round *round = self;
	struct endpoint *endpoint = arena_dup(round->arena, row, sizeof(*row));

	endpoint->next = round->endpoints;
	round->endpoints = endpoint;
}

static void round_add_source(void *self, const struct source *source)
{
	struct round *round = self;

	round->is_complete = round->is_complete && source->is_complete;
	if (source->is_complete)
		map_put(round->complete, source->resource, strlen(source->resource),
		        round);
}

/* A mark without a resource may belong to any resource. */
static bool round_is_complete_source(void *self, const char *resource)
{
	const struct round *round = self;

	if (!resource)
		return round->is_complete && map_count(round->complete);
	return map_get(round->complete, resource, strlen(resource));
}

static enum err round_read_rows(struct round *round, struct why *why)
{
	struct tx tx = tx_begin_snapshot(round->ownership->runtime.db, why);
	const char *id = round->row.id;

	if (!store_registry_read(&tx, round->arena, id, &round->row))
		tx_fail(&tx, ERR_NOT_FOUND,
		        "the table registries has no row for storage_id %s and zone %s: "
		        "restart zonefleet-ownership",
		        round->registry->settings->storage_id,
		        round->registry->zone_text);
	round->is_complete = true;
	store_sources(&tx, round->arena, id, round_add_source, round);
	store_owned(&tx, round->arena, id, round_add_owned, round);
	store_endpoints(&tx, round->arena, id, NULL, round_add_endpoint, round);
	round->registry->storage->records(round, &tx);
	round_orders_read(round, &tx);
	return tx_commit(&tx);
}

/* Call it when the view is settled. */
static void round_fill_view(struct round *round)
{
	for (const struct owned_row *owned = round->owned_rows; owned;
	     owned = owned->next)
		if (owned->rrset.count)
			plan_add_owned(round->view, &owned->name, &owned->rrset);
	for (const struct endpoint *at = round->endpoints; at; at = at->next)
		plan_add_endpoint(round->view, &at->name, &(struct desired){
			.rrset = at->rrset, .has_ttl = at->has_ttl,
			.is_shared = at->is_shared, .resource = at->resource });
}

/* Releases the held changes if an operator has approved this digest. */
static void round_release_approved(struct round *round)
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

	enum err err = round_read_rows(round, why);

	if (err)
		return err;
	view_settle(round->view, &registry->marks);
	round_fill_view(round);
	round_orders_plan(round);
	plan_make(round->view, &registry->rules, true, &round->plan);
	plan_hold_incomplete(&round->plan, round_is_complete_source, round);
	round_release_approved(round);
	log_debug("plan of the zone made: zone=%s storage_id=%s items=%zu held=%zu "
	          "ms=%lld",
	          registry->zone_text, registry->settings->storage_id, round->plan.count,
	          round->plan.held, (long long)(clock_us() - began) / 1000);
	return OK;
}
