#include "round_orders.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "model/presentation.h"
#include "round_private.h"
#include "storage.h"
#include "store_order.h"

enum { NAMES_MAX = 100 };		/* of a result that are listed */

struct order {
	struct order *next;
	struct order_row row;
	struct plan_order order;
	json_t *names, *refused;
	size_t matched, done, open;
	struct made_row *sets;		/* that are given, or done with */
	size_t set_count, set_size;
};

/* ---- before the plan ---- */

static void take_order(void *self, const struct order_row *row)
{
	struct round *round = self;
	struct order *order = arena_alloc(round->arena, sizeof(*order));

	order->row = *row;
	order->order = (struct plan_order){
		.deed = row->deed, .type = row->type, .resource = row->resource,
		.expected = row->expected.count ? &order->row.expected : NULL,
		.to = row->to, .is_dry = row->is_dry,
	};
	order->next = round->orders;
	round->orders = order;
}

void orders_read(struct round *round, struct tx *tx)
{
	store_orders_open(tx, round->arena, round->row.id, take_order, round);
}

static bool is_selected(const struct order *order, const struct name *name)
{
	if (!order->row.has_name)
		return true;
	return order->row.is_below ? name_is_below(name, &order->row.name)
	                           : name_equal(name, &order->row.name);
}

static void plan_order_of(struct round *round, struct order *order)
{
	for (struct node *node = view_first(round->view); node; node = node->next) {
		struct name name;

		node_name(node, &name);
		if (node->holdings && is_selected(order, &name))
			plan_order(round->view, &name, &order->order);
	}
}

void orders_plan(struct round *round)
{
	for (struct order *order = round->orders; order; order = order->next)
		plan_order_of(round, order);
}

/* ---- before the server is asked ---- */

static struct order *order_of(const struct round *round, const struct plan_item *item)
{
	struct order *order = round->orders;

	while (order && &order->order != item->order)
		order = order->next;
	return order;
}

static void push_set(struct order *order, struct made_row row, struct arena *arena)
{
	if (order->set_count == order->set_size) {
		const struct made_row *old = order->sets;

		order->set_size = 2 * order->set_size + 16;
		order->sets = arena_alloc(arena, order->set_size * sizeof(*order->sets));
		if (old)
			memcpy(order->sets, old, order->set_count * sizeof(*old));
	}
	order->sets[order->set_count++] = row;
}

static void accept_adopted(struct round *round, struct tx *tx, const struct order *order)
{
	if (!round->registry->storage->is_in_zone)
		store_made_put(tx, round->row.id, order->sets, order->set_count);
}

/* Where no server has to take it, it is given with this. */
static void accept_parted(struct round *round, struct tx *tx, const struct order *order)
{
	const struct order_row *row = &order->row;
	const char *id = round->row.id;
	bool is_in_zone = round->registry->storage->is_in_zone;

	store_order_sets_begin(tx, row->id, order->sets, order->set_count);
	store_records_give(tx, id, row);
	if (row->deed == DEED_GIVE) {
		store_endpoints_copy(tx, id, row);
		if (!is_in_zone) {
			store_made_move(tx, id, row);
			store_endpoints_forget(tx, id, row);
		}
	}
	store_made_part_with(tx, id, row);
	store_order_sets_end(tx, row->id);
}

void orders_accept(struct round *round, struct tx *tx)
{
	bool any = false;

	for (struct order *order = round->orders; order; order = order->next)
		order->set_count = 0;
	for (size_t i = 0; i < round->plan.count; i++) {
		const struct plan_item *item = &round->plan.items[i];

		if (item->order && update_is_done(item))
			push_set(order_of(round, item), round_row_of(item),
			         round->arena);
	}
	for (struct order *order = round->orders; order; order = order->next) {
		if (!order->set_count)
			continue;
		any = true;
		if (order->row.deed == DEED_ADOPT)
			accept_adopted(round, tx, order);
		else
			accept_parted(round, tx, order);
	}
	if (any)
		store_zone_changed(tx, round->registry->zone_text, round->row.id);
}

/* ---- after the round ---- */

static enum outcome outcome_of(const struct round *round, size_t item)
{
	for (size_t i = 0; i < round->errand_count; i++) {
		const struct errand *errand = &round->errands[i];

		if (item >= errand->first && item < errand->first + errand->count)
			return round->batch ? batch_outcome(round->batch, i)
			                    : OUTCOME_OPEN;
	}
	return round->is_accepted ? OUTCOME_APPLIED	/* nothing was to be sent */
	                          : OUTCOME_OPEN;
}

static void note_name(struct order *order, const struct plan_item *item)
{
	char name[NAME_MAX_TEXT + 1], type[16];
	struct name owner;

	if (json_array_size(order->names) >= NAMES_MAX)
		return;
	node_name(item->node, &owner);
	name_format(&owner, name);
	rrtype_format(item->type, type);
	json_array_append_new(order->names, json_sprintf("%s %s", name, type));
}

static void note_refusal(struct order *order, const char *reason)
{
	json_int_t count = json_integer_value(json_object_get(order->refused, reason));

	json_object_set_new(order->refused, reason, json_integer(count + 1));
}

/* An order that was younger: it is looked at when the first one is done. */
static void leave_to_others(struct round *round, const struct plan_item *item,
                            const struct name *name, bool *is_left)
{
	for (struct order *order = round->orders; order; order = order->next)
		if (&order->order != item->order && is_selected(order, name) &&
		    plan_order_fits(&order->order, item)) {
			order->open++;
			*is_left = true;
		}
}

static void settle_done(struct round *round, struct order *order,
                        const struct plan_item *item, const struct name *name)
{
	order->done++;
	if (order->order.deed == DEED_GIVE)
		push_set(order, (struct made_row){ .name = *name, .is.type = item->type },
		         round->arena);
}

static void forget_given(struct round *round, struct tx *tx, const struct order *order)
{
	if (!order->set_count)
		return;
	store_order_sets_begin(tx, order->row.id, order->sets, order->set_count);
	store_endpoints_forget(tx, round->row.id, &order->row);
	store_order_sets_end(tx, order->row.id);
}

static void settle_item(struct round *round, size_t i)
{
	const struct plan_item *item = &round->plan.items[i];
	struct order *order = order_of(round, item);
	struct name name;

	order->matched++;
	note_name(order, item);
	if (item->step == STEP_NONE) {
		note_refusal(order, plan_reason_name(item->reason));
		return;
	}
	if (order->order.is_dry)
		return;
	if (item->is_held) {
		order->open++;
		return;
	}

	enum outcome outcome = outcome_of(round, i);
	node_name(item->node, &name);
	if (outcome == OUTCOME_AGAIN || outcome == OUTCOME_UNABLE ||
	    outcome == OUTCOME_OPEN)
		order->open++;
	else if (outcome != OUTCOME_APPLIED)
		note_refusal(order, outcome_name(outcome));
	else
		settle_done(round, order, item, &name);
}

/*
 * What we still want, and is already the receiver's, was given in a round that did not
 * live to say so.
 */
static void settle_given(struct round *round, const struct plan_item *item)
{
	struct name name;

	if (!item->wish || item->order || item->holding->whose != WHOSE_ANOTHERS)
		return;
	node_name(item->node, &name);
	for (struct order *order = round->orders; order; order = order->next) {
		if (order->order.deed != DEED_GIVE || order->order.is_dry ||
		    !is_selected(order, &name) ||
		    (order->order.type && order->order.type != item->type) ||
		    (order->order.resource &&
		     strcmp(order->order.resource, item->wish->resource)) ||
		    strcmp(view_owners(round->view, item->node, item->holding),
		           order->row.to))
			continue;
		order->matched++;
		note_name(order, item);
		settle_done(round, order, item, &name);
	}
}

static void finish_order(struct tx *tx, struct order *order)
{
	json_t *result = json_pack("{s:I, s:I, s:O, s:O, s:b}",
		"matched", (json_int_t)order->matched, "done", (json_int_t)order->done,
		"refused", order->refused, "names", order->names,
		"dry_run", order->order.is_dry);
	char *text = json_dumps(result, JSON_COMPACT);

	if (!order->open)
		store_order_done(tx, order->row.id, text);
	free(text);
	json_decref(result);
}

enum err orders_settle(void *self, struct why *why)
{
	struct round *round = self;
	struct tx tx = round_begin_tx(round, why);
	bool is_left = false;

	for (struct order *order = round->orders; order; order = order->next) {
		order->matched = order->done = order->open = order->set_count = 0;
		order->names = json_array();
		order->refused = json_object();
	}
	for (size_t i = 0; i < round->plan.count; i++) {
		const struct plan_item *item = &round->plan.items[i];
		struct name name;

		node_name(item->node, &name);
		if (item->order) {
			settle_item(round, i);
			leave_to_others(round, item, &name, &is_left);
		} else {
			settle_given(round, item);
		}
	}
	if (is_left)
		store_registry_changed(&tx, round->row.id);
	for (struct order *order = round->orders; order; order = order->next) {
		forget_given(round, &tx, order);
		finish_order(&tx, order);
		json_decref(order->names);
		json_decref(order->refused);
	}
	return tx_commit(&tx);
}

void orders_tell(const struct round *round)
{
	for (const struct order *order = round->orders; order; order = order->next)
		if (order->order.deed == DEED_GIVE && order->done)
			round_notify(round, "dns.owner.transferred",
			             json_pack("{s:s, s:I}", "to", order->row.to,
			                       "sets", (json_int_t)order->done));
}
