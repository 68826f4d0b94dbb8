#include "round_private.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/map.h"
#include "consistency/pulse.h"
#include "round_orders.h"
#include "storage.h"

/* ---- rows of what was made, by name and type ---- */

struct set_key set_key_of(const struct name *name, uint16_t type)
{
	struct set_key key = { .len = name->len + 2u };

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

	struct set_key key = set_key_of(&name, item->type);
	return map_get(round->made, key.octets, key.len);
}

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
		plan_want(round->view, &at->endpoint.name, &(struct wish){
			.want = at->endpoint.want, .has_ttl = at->endpoint.has_ttl,
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

/* ---- rows go out ---- */

struct tx round_begin_tx(struct round *round, struct why *why)
{
	struct holder *holder = fleet_holder(pulse_fleet(round->ownership->pulse));
	struct tx tx = tx_begin(round->ownership->runtime.db, why);

	holder_guard(holder, &tx, round->held);
	return tx;
}

/* So that it is seen when rows that are the marks get lost. */
static void count_made(const struct round *round, struct tx *tx)
{
	if (!round->registry->storage->is_in_zone)
		store_made_count(tx, round->row.id);
}

enum err round_restore(void *self, struct why *why)
{
	struct round *round = self;
	const struct registry *registry = round->registry;
	size_t restored = 0;

	if (!registry->storage->has_rows || registry->storage->is_in_zone)
		return OK;

	struct tx tx = round_begin_tx(round, why);
	if (store_made_is_lost(&tx, round->row.id)) {
		restored = store_made_restore(&tx, round->row.id,
		                              registry->settings->storage_id);
		store_made_count(&tx, round->row.id);
	}
	enum err err = tx_commit(&tx);
	if (!err && restored)
		log_warn("ownership restored: zone=%s storage=%s sets=%zu "
		         "reason=\"rows of what is ours were lost\"",
		         registry->zone_text, registry->settings->storage_id, restored);
	return err;
}

struct made_row round_row_of(const struct plan_item *item)
{
	struct made_row row = { .is = item->holding->is, .intended = item->becomes,
	                        .resource = item->wish->resource };

	node_name(item->node, &row.name);
	row.is.type = row.intended.type = item->type;
	return row;
}

bool round_is_arrival(const struct plan_item *item)
{
	return (item->step == STEP_CREATE || item->step == STEP_UPDATE) &&
	       update_is_done(item) && !(item->order && item->order->deed == DEED_GIVE);
}

/* Rows of the items that IS picks. */
static struct made_row *rows_of(const struct round *round,
                                bool (*is)(const struct round *round,
                                           const struct plan_item *item),
                                size_t *count)
{
	const struct plan *plan = &round->plan;
	struct made_row *rows = arena_alloc(round->arena,
	                                    (plan->count + 1) * sizeof(*rows));

	*count = 0;
	for (size_t i = 0; i < plan->count; i++)
		if (is(round, &plan->items[i]))
			rows[(*count)++] = round_row_of(&plan->items[i]);
	return rows;
}

static bool will_be_made(const struct round *round, const struct plan_item *item)
{
	(void)round;
	return round_is_arrival(item);
}

enum err round_accept(void *self, struct why *why)
{
	struct round *round = self;
	size_t count;
	struct made_row *rows = rows_of(round, will_be_made, &count);

	if (!round->registry->storage->has_rows || (!count && !round->orders))
		return OK;

	struct tx tx = round_begin_tx(round, why);
	store_made_intend(&tx, round->row.id, rows, count);
	orders_accept(round, &tx);
	count_made(round, &tx);
	return tx_commit(&tx);
}

/* As it is wanted, but for what only our rows say. */
static bool is_as_wanted(const struct plan_item *item)
{
	if (item->step == STEP_UPDATE)
		return item->becomes.ttl == item->holding->is.ttl &&
		       rrset_same_records(&item->becomes, &item->holding->is);
	return item->step == STEP_NONE && item->reason == REASON_WANTED;
}

/* It is there as it is wanted, and ours, and no row says so. */
static bool is_made_now(const struct round *round, const struct plan_item *item)
{
	const struct made_row *row;

	if (!item->wish || !item->holding->is.count || !item->holding->ours ||
	    item->is_held || item->order || !is_as_wanted(item))
		return false;
	row = made_of(round, item);
	return !row || row->intended.count ||
	       strcmp(row->resource, item->wish->resource) ||
	       row->is.ttl != item->holding->is.ttl ||
	       !rrset_same_records(&row->is, &item->holding->is);
}

/* It is not there, nor is its mark; or what is there is another's, and was never ours. */
static bool is_gone(const struct round *round, const struct made_row *row)
{
	const struct node *node = view_find(round->view, &row->name);
	const struct holding *holding = node ? node_holding(node, row->is.type) : NULL;

	return !holding || (!holding->ours && (!holding->is.count || !row->is.count));
}

/* Where our rows are the marks: one of a set that is not there, and nobody wants. */
static bool is_orphan(const struct round *round, const struct plan_item *item)
{
	return !round->registry->storage->is_in_zone && item->step == STEP_UNMARK &&
	       !item->is_held;
}

static size_t count_gone(const struct round *round)
{
	size_t count = 0;

	for (const struct made *made = round->all_made; made; made = made->next)
		count += is_gone(round, &made->row);
	for (size_t i = 0; i < round->plan.count; i++)
		count += is_orphan(round, &round->plan.items[i]);
	return count;
}

static void delete_gone(struct tx *tx, const struct round *round)
{
	for (const struct made *made = round->all_made; made; made = made->next)
		if (is_gone(round, &made->row))
			store_made_delete(tx, round->row.id, &made->row.name,
			                  made->row.is.type);
	for (size_t i = 0; i < round->plan.count; i++) {
		const struct plan_item *item = &round->plan.items[i];
		struct name name;

		node_name(item->node, &name);
		if (is_orphan(round, item))
			store_made_delete(tx, round->row.id, &name, item->type);
	}
}

enum err round_settle(void *self, struct why *why)
{
	struct round *round = self;
	size_t count;
	struct made_row *rows = rows_of(round, is_made_now, &count);

	if (!round->registry->storage->has_rows || (!count && !count_gone(round)))
		return OK;

	struct tx tx = round_begin_tx(round, why);
	store_made_put(&tx, round->row.id, rows, count);
	delete_gone(&tx, round);
	count_made(round, &tx);
	return tx_commit(&tx);
}
