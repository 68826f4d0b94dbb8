#include "round_orders.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "core/plan.h"
#include "model/presentation.h"
#include "round_private.h"
#include "storage.h"
#include "store_transfer.h"
#include "store_order.h"

enum { NAMES_MAX = 100 };		/* shown in a result */

/* A set that an earlier round worked on. */
struct begun {
	struct begun *next;
	struct order_set set;
	bool is_done;			/* false: the result is unknown */
};

/* Sets for one statement. */
struct order_sets {
	struct order_set *item;
	size_t count, size;
};

struct order {
	/* must be the first member: the plan's items point to it */
	struct plan_order order;
	struct order *next;		/* a newer one */
	struct order_row row;
	struct begun *begun;
	struct map *planned;		/* sets of this plan, if `begun` has any */
	struct order_sets accepted, applied, refused;
	json_t *names, *refusals;
	size_t matched, done, open;
	bool is_over;
};

static struct order *item_order(const struct plan_item *item)
{
	return (struct order *)item->order;
}

static struct order_set item_order_set(const struct plan_item *item)
{
	struct order_set set = { .type = item->type };

	node_name(item->node, &set.name);
	return set;
}

static void order_sets_push(const struct round *round, struct order_sets *sets,
                            const struct order_set *set)
{
	if (sets->count == sets->size) {
		const struct order_set *old = sets->item;

		sets->size = 2 * sets->size + 16;
		sets->item = arena_alloc(round->arena, sets->size * sizeof(*old));
		if (old)
			memcpy(sets->item, old, sets->count * sizeof(*old));
	}
	sets->item[sets->count++] = *set;
}

/* ---- before the plan ---- */

static void round_add_order(void *self, const struct order_row *row)
{
	struct round *round = self;
	struct order *order = arena_alloc(round->arena, sizeof(*order));
	struct order **end = &round->orders;

	while (*end)
		end = &(*end)->next;
	*end = order;
	order->row = *row;
	order->order = (struct plan_order){
		.kind = row->kind, .type = row->type, .resource = row->resource,
		.expected = row->expected.count ? &order->row.expected : NULL,
		.to = row->to, .is_dry = row->is_dry,
	};
}

static void round_add_begun(void *self, const char *order_id, const struct order_set *set,
                            bool is_done)
{
	struct round *round = self;
	struct order *order = round->orders;
	struct begun *begun = arena_alloc(round->arena, sizeof(*begun));

	while (order && strcmp(order->row.id, order_id))
		order = order->next;
	if (!order)
		/* the item belongs to an order of a later round */
		return;
	*begun = (struct begun){ order->begun, *set, is_done };
	order->begun = begun;
}

/* Reads the orders. A registry without rows accepts no orders. */
void round_orders_read(struct round *round, struct tx *tx)
{
	if (!round->registry->storage->has_rows)
		return;
	store_orders_open(tx, round->arena, round->row.id, round_add_order, round);
	if (round->orders)
		store_order_items(tx, round->arena, round->row.id, round_add_begun,
		                  round);
}

/* True: the row of the receiving registry no longer exists. */
static bool order_has_no_receiver(const struct order *order)
{
	return order->order.kind == ORDER_TRANSFER && !order->row.to;
}

static bool order_selects(const struct order *order, const struct name *name)
{
	if (!order->row.has_name)
		return true;
	return order->row.is_below ? name_is_below(name, &order->row.name)
	                           : name_equal(name, &order->row.name);
}

static void order_plan(struct round *round, struct order *order)
{
	for (struct node *node = view_first(round->view); node; node = node->next) {
		struct name name;

		node_name(node, &name);
		if (node->sets && order_selects(order, &name))
			plan_order(round->view, &name, &order->order);
	}
}

void round_orders_plan(struct round *round)
{
	for (struct order *order = round->orders; order; order = order->next)
		if (!order_has_no_receiver(order))
			order_plan(round, order);
}

/* ---- before the updates are sent ---- */

static struct transfer order_transfer(const struct round *round,
                                      const struct order *order)
{
	return (struct transfer){ order->row.id, round->row.id, order->row.to_id };
}

static void order_accept_transfer(const struct round *round, struct tx *tx,
                                  const struct order *order)
{
	struct transfer transfer = order_transfer(round, order);

	store_transfer_lock(tx, &transfer);
	store_transfer_copy(tx, &transfer, ITEM_ACCEPTED);
	if (round->registry->storage->is_in_zone)
		return;
	store_transfer_owned(tx, &transfer, ITEM_ACCEPTED, false);
	store_transfer_forget(tx, &transfer, ITEM_ACCEPTED);
	store_owned_count(tx, transfer.to);
}

static void order_accept_adoption(const struct round *round, struct tx *tx,
                                  const struct order *order)
{
	struct owned_row *rows = arena_alloc(round->scratch, (round->plan.count + 1) *
	                                                     sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < round->plan.count; i++) {
		const struct plan_item *item = &round->plan.items[i];

		if (item->order == &order->order && update_applies(item))
			rows[count++] = round_row_of(item);
	}
	store_owned_put(tx, round->row.id, rows, count);
}

static void order_accept(const struct round *round, struct tx *tx,
                         const struct order *order)
{
	const char *id = order->row.id;

	store_order_items_put(tx, id, order->accepted.item, order->accepted.count,
	                      ITEM_ACCEPTED);
	if (order->order.kind == ORDER_ADOPT) {
		if (!round->registry->storage->is_in_zone)
			order_accept_adoption(round, tx, order);
		return;
	}
	store_order_items_own(tx, id, round->row.id,
	                      order->order.kind == ORDER_TRANSFER ? order->row.to : "");
	if (order->order.kind == ORDER_TRANSFER)
		order_accept_transfer(round, tx, order);
	else
		store_order_items_unmake(tx, id, round->row.id);
}

static void orders_collect_accepted(struct round *round)
{
	for (struct order *order = round->orders; order; order = order->next)
		order->accepted.count = 0;
	for (size_t i = 0; i < round->plan.count; i++) {
		const struct plan_item *item = &round->plan.items[i];
		struct order_set set = item_order_set(item);

		if (item->order && update_applies(item))
			order_sets_push(round, &item_order(item)->accepted, &set);
	}
}

void round_orders_accept(struct round *round, struct tx *tx)
{
	bool any = false;

	orders_collect_accepted(round);
	for (const struct order *order = round->orders; order; order = order->next) {
		if (!order->accepted.count)
			continue;
		order_accept(round, tx, order);
		any = true;
	}
	if (any && !round->registry->storage->is_in_zone)
		store_zone_changed(tx, round->registry->zone_text, round->row.id);
}

/* ---- after the round: the result of each set ---- */

/* Items without an update were finished when they were accepted. */
static uint8_t *round_answers(const struct round *round)
{
	uint8_t *answers = arena_alloc(round->arena, round->plan.count + 1);

	memset(answers, round->is_accepted ? ANSWER_TAKEN : ANSWER_UNKNOWN,
	       round->plan.count);
	for (size_t i = 0; i < round->update_count; i++)
		memset(answers + round->updates[i].first,
		       round->batch ? round_answer(round, i) : ANSWER_UNKNOWN,
		       round->updates[i].count);
	return answers;
}

static const char *round_item_outcome(const struct round *round, size_t item)
{
	size_t i = 0;

	while (item >= round->updates[i].first + round->updates[i].count)
		i++;
	return outcome_name(batch_outcome(round->batch, i));
}

static void order_note_name(struct order *order, const struct order_set *set)
{
	char name[NAME_MAX_TEXT + 1], type[16];

	order->matched++;
	if (json_array_size(order->names) >= NAMES_MAX)
		return;
	name_format(&set->name, name);
	rrtype_format(set->type, type);
	json_array_append_new(order->names, json_sprintf("%s %s", name, type));
}

static void order_note_refusal(struct order *order, const char *reason)
{
	json_int_t count = json_integer_value(json_object_get(order->refusals, reason));

	json_object_set_new(order->refusals, reason, json_integer(count + 1));
}

/* Drops the copies that this round or an earlier one made for the set. */
static void order_refuse(const struct round *round, struct order *order,
                         const struct order_set *set, const char *reason)
{
	order_note_refusal(order, reason);
	order_sets_push(round, &order->refused, set);
}

static void order_note_planned(struct order *order, const struct order_set *set)
{
	struct set_key key = set_key_of(&set->name, set->type);

	if (order->planned)
		map_put(order->planned, key.octets, key.len, order);
}

static void order_settle_item(const struct round *round, size_t i, enum answer answer)
{
	const struct plan_item *item = &round->plan.items[i];
	struct order *order = item_order(item);
	struct order_set set = item_order_set(item);

	order_note_name(order, &set);
	order_note_planned(order, &set);
	if (item->step == STEP_NONE && order->begun)
		order_refuse(round, order, &set, plan_reason_name(item->reason));
	else if (item->step == STEP_NONE)
		order_note_refusal(order, plan_reason_name(item->reason));
	else if (order->order.is_dry)
		return;
	else if (item->is_held || answer == ANSWER_UNKNOWN)
		order->open++;
	else if (answer == ANSWER_REFUSED)
		order_refuse(round, order, &set, round_item_outcome(round, i));
	else
		order_sets_push(round, &order->applied, &set);
}

/* ---- sets of earlier rounds ---- */

static bool claims_have_owner(const struct claim *claim, const char *owner)
{
	for (; claim; claim = claim->next) {
		const char *id = claim->by->mark ? mark_get(claim->by->mark, "owner")
		                                 : NULL;

		if (id && !strcmp(id, owner))
			return true;
	}
	return false;
}

/* True: the set has the new owner's mark. Untyped marks count, too. */
static bool set_is_transferred(const struct node *node, const struct view_set *set,
                               const char *to)
{
	return to && set && !set->ours &&
	       (claims_have_owner(set->claims, to) ||
	        claims_have_owner(node->foreign, to));
}

/*
 * True: the set is as the order wants it. With storage "table" the accept step wrote the
 * rows.
 */
static bool order_is_reached(const struct round *round, const struct order *order,
                             const struct order_set *set)
{
	const struct node *node = view_find(round->view, &set->name);
	const struct view_set *now = node_find_set(node, set->type);

	if (!round->registry->storage->is_in_zone)
		return true;
	switch (order->order.kind) {
	case ORDER_ADOPT:
		return now && now->ours;
	case ORDER_RELEASE:
		return !now || !now->ours;
	case ORDER_TRANSFER:
		return set_is_transferred(node, now, order->row.to);
	}
	return false;
}

static void order_settle_begun(const struct round *round, struct order *order,
                               const struct begun *begun)
{
	struct set_key key = set_key_of(&begun->set.name, begun->set.type);

	if (map_get(order->planned, key.octets, key.len))
		return;			/* this round has tried it again */
	order_note_name(order, &begun->set);
	if (begun->is_done)
		order->done++;
	else if (order_is_reached(round, order, &begun->set))
		order_sets_push(round, &order->applied, &begun->set);
	else
		order_refuse(round, order, &begun->set, outcome_name(OUTCOME_CHANGED));
}

static void orders_settle_sets(struct round *round)
{
	const uint8_t *answers = round_answers(round);

	for (size_t i = 0; i < round->plan.count; i++)
		if (round->plan.items[i].order)
			order_settle_item(round, i, (enum answer)answers[i]);
	for (struct order *order = round->orders; order; order = order->next)
		for (const struct begun *at = order->begun; at; at = at->next)
			order_settle_begun(round, order, at);
}

/* ---- the rows of the orders ---- */

/* With storage "table" the accept step has moved all rows. */
static void order_write_transfer(const struct round *round, struct tx *tx,
                                 const struct order *order)
{
	struct transfer transfer = order_transfer(round, order);

	if (!round->registry->storage->is_in_zone)
		return;
	store_transfer_lock(tx, &transfer);
	store_transfer_undo(tx, &transfer, ITEM_REFUSED);
	store_transfer_drop_stale(tx, &transfer, ITEM_APPLIED);
	store_transfer_copy(tx, &transfer, ITEM_APPLIED);
	store_transfer_owned(tx, &transfer, ITEM_APPLIED, true);
	store_transfer_forget(tx, &transfer, ITEM_APPLIED);
	store_registry_changed(tx, transfer.to);
}

static void order_write_sets(const struct round *round, struct tx *tx,
                             const struct order *order)
{
	const char *id = order->row.id;

	if (!order->applied.count && !order->refused.count)
		return;
	store_order_items_put(tx, id, order->applied.item, order->applied.count,
	                      ITEM_APPLIED);
	store_order_items_put(tx, id, order->refused.item, order->refused.count,
	                      ITEM_REFUSED);
	if (order->order.kind == ORDER_TRANSFER && order->row.to)
		order_write_transfer(round, tx, order);
	store_order_items_settle(tx, id);
}

static void order_finish(struct tx *tx, const struct order *order)
{
	json_t *result = json_pack("{s:I, s:I, s:O, s:O, s:b}",
		"matched", (json_int_t)order->matched,
		"done", (json_int_t)(order->done + order->applied.count),
		"refused", order->refusals, "names", order->names,
		"dry_run", order->order.is_dry);
	char *text = json_dumps(result, JSON_COMPACT);

	store_order_done(tx, order->row.id, text);
	free(text);
	json_decref(result);
}

static void order_result_begin(struct order *order)
{
	order->matched = order->done = order->open = 0;
	order->applied.count = order->refused.count = 0;
	order->names = json_array();
	order->refusals = json_object();
	order->planned = order->begun ? map_new(random_u32()) : NULL;
	if (order_has_no_receiver(order))
		json_object_set_new(order->refusals, "NO_RECEIVER", json_integer(1));
}

static void order_result_end(struct order *order)
{
	json_decref(order->names);
	json_decref(order->refusals);
	map_free(&order->planned);
}

/*
 * Makes the next round due immediately if orders wait for the end of these, or for
 * room in a round.
 */
static void orders_request_round(const struct round *round, struct tx *tx)
{
	size_t count = 0, waiting = 0, over = 0;

	for (const struct order *order = round->orders; order; order = order->next) {
		count++;
		waiting += !order->is_over && order->order.waiting;
		over += order->is_over;
	}
	if (over && (waiting || count == ORDERS_ROUND_MAX))
		store_registry_urgent(tx, round->row.id);
}

enum err round_orders_settle(void *self, struct why *why)
{
	struct round *round = self;
	struct tx tx = round_begin_tx(round, why);

	for (struct order *order = round->orders; order; order = order->next)
		order_result_begin(order);
	orders_settle_sets(round);
	for (struct order *order = round->orders; order; order = order->next) {
		order_write_sets(round, &tx, order);
		order->is_over = !order->open && !order->order.waiting;
		if (order->is_over)
			order_finish(&tx, order);
		order_result_end(order);
	}
	orders_request_round(round, &tx);
	return tx_commit(&tx);
}

void round_orders_notify(const struct round *round)
{
	for (const struct order *order = round->orders; order; order = order->next)
		if (order->order.kind == ORDER_TRANSFER && order->applied.count)
			round_notify(round, "dns.owner.transferred",
			             json_pack("{s:s, s:I}", "to", order->row.to,
			                       "sets",
			                       (json_int_t)order->applied.count));
}
