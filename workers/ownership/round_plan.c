#include "round_private.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/map.h"
#include "consistency/pulse.h"

/* ---- rows of what was made, by name and type ---- */

struct made_key {
	uint8_t octets[NAME_MAX_WIRE + 2];
	size_t len;
};

static struct made_key key_of(const struct name *name, uint16_t type)
{
	struct made_key key = { .len = name->len + 2u };

	memcpy(key.octets, name->wire, name->len);
	key.octets[name->len] = (uint8_t)(type >> 8);
	key.octets[name->len + 1] = (uint8_t)type;
	return key;
}

static const struct made_row *made_of(const struct round *round,
                                      const struct plan_item *item)
{
	struct name name;

	node_name(item->node, &name);

	struct made_key key = key_of(&name, item->type);
	return map_get(round->made, key.octets, key.len);
}

/* ---- rows come in ---- */

static void take_made(void *self, const struct made_row *row)
{
	struct round *round = self;
	struct made_key key = key_of(&row->name, row->is.type);
	struct made *made = arena_alloc(round->arena, sizeof(*made));

	*made = (struct made){ round->all_made, *row };
	round->all_made = made;
	map_put(round->made, key.octets, key.len, &made->row);
	if (row->is_programmed)
		plan_made(round->view, &row->name, &row->is);
}

static void take_endpoint(void *self, const struct endpoint *endpoint)
{
	struct round *round = self;
	const struct wish wish = {
		.want = endpoint->want, .has_ttl = endpoint->has_ttl,
		.is_shared = endpoint->is_shared, .resource = endpoint->resource,
	};

	plan_want(round->view, &endpoint->name, &wish);
}

static void take_source(void *self, const struct source *source)
{
	struct round *round = self;

	round->is_complete = round->is_complete && source->is_complete;
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
	return tx_commit(&tx);
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

	view_settle(round->view, &registry->marks);

	enum err err = read_rows(round, why);
	if (err)
		return err;
	plan_make(round->view, &registry->rules, round->is_complete, &round->plan);
	release_approved(round);
	log_debug("zone planned: zone=%s storage=%s items=%zu held=%zu ms=%lld",
	          registry->zone_text, registry->settings->storage_id, round->plan.count,
	          round->plan.held, (long long)(clock_us() - began) / 1000);
	return OK;
}

/* ---- rows go out ---- */

static struct tx begin_guarded(struct round *round, struct why *why)
{
	struct tx tx = tx_begin(round->ownership->runtime.db, why);

	holder_guard(fleet_holder(pulse_fleet(round->ownership->pulse)), &tx, round->held);
	return tx;
}

static struct made_row row_of(const struct plan_item *item, const struct rrset *set,
                              bool is_programmed)
{
	struct made_row row = { .is = *set, .resource = item->wish->resource,
	                        .is_programmed = is_programmed };

	node_name(item->node, &row.name);
	row.is.type = item->type;
	return row;
}

static bool is_arrival(const struct plan_item *item)
{
	return (item->step == STEP_CREATE || item->step == STEP_UPDATE) && !item->is_held;
}

/* Rows of the items that IS picks: as they are, or as they will be. */
static struct made_row *rows_of(const struct round *round,
                                bool (*is)(const struct round *round,
                                           const struct plan_item *item),
                                bool is_programmed, size_t *count)
{
	const struct plan *plan = &round->plan;
	struct made_row *rows = arena_alloc(round->arena,
	                                    (plan->count + 1) * sizeof(*rows));

	*count = 0;
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_item *item = &plan->items[i];

		if (is(round, item))
			rows[(*count)++] = row_of(item, is_programmed ? &item->holding->is
			                                              : &item->becomes,
			                          is_programmed);
	}
	return rows;
}

static bool will_be_made(const struct round *round, const struct plan_item *item)
{
	(void)round;
	return is_arrival(item);
}

enum err round_accept(void *self, struct why *why)
{
	struct round *round = self;
	size_t count;
	struct made_row *rows = rows_of(round, will_be_made, false, &count);

	if (!count)
		return OK;

	struct tx tx = begin_guarded(round, why);
	store_made_put(&tx, round->row.id, rows, count);
	return tx_commit(&tx);
}

/* It is there as it is wanted, and ours, and no row says so. */
static bool is_made_now(const struct round *round, const struct plan_item *item)
{
	const struct made_row *row;

	if (item->step != STEP_NONE || item->reason != REASON_WANTED || !item->wish ||
	    !item->holding->is.count)
		return false;
	row = made_of(round, item);
	return !row || !row->is_programmed || strcmp(row->resource, item->wish->resource) ||
	       row->is.ttl != item->holding->is.ttl ||
	       !rrset_same_records(&row->is, &item->holding->is);
}

/* It is not there, nor is its mark; or it was never seen, and what is there is another's. */
static bool is_gone(const struct round *round, const struct made_row *row)
{
	const struct node *node = view_find(round->view, &row->name);
	const struct holding *holding = node ? node_holding(node, row->is.type) : NULL;

	return !holding || (!holding->ours && (!holding->is.count || !row->is_programmed));
}

static size_t count_gone(const struct round *round)
{
	size_t count = 0;

	for (const struct made *made = round->all_made; made; made = made->next)
		count += is_gone(round, &made->row);
	return count;
}

enum err round_settle(void *self, struct why *why)
{
	struct round *round = self;
	size_t count;
	struct made_row *rows = rows_of(round, is_made_now, true, &count);

	if (!count && !count_gone(round))
		return OK;

	struct tx tx = begin_guarded(round, why);
	store_made_put(&tx, round->row.id, rows, count);
	for (const struct made *made = round->all_made; made; made = made->next)
		if (is_gone(round, &made->row))
			store_made_delete(&tx, round->row.id, &made->row.name,
			                  made->row.is.type);
	return tx_commit(&tx);
}
