#include "round_private.h"

#include <string.h>

#include "base/log.h"
#include "base/map.h"
#include "consistency/membership.h"
#include "round_orders.h"
#include "storage.h"

/* With storage "table", a lower number of rows shows that rows were lost. */
static void round_owned_count(const struct round *round, struct tx *tx)
{
	if (!round->registry->storage->is_in_zone)
		store_owned_count(tx, round->row.id);
}

enum err round_owned_restore(void *self, struct why *why)
{
	struct round *round = self;
	const struct registry *registry = round->registry;
	size_t restored = 0;

	if (!registry->storage->has_rows || registry->storage->is_in_zone)
		return OK;

	struct tx tx = round_begin_tx(round, why);
	if (store_owned_is_lost(&tx, round->row.id)) {
		restored = store_owned_restore(&tx, round->row.id,
		                               registry->settings->storage_id);
		store_owned_count(&tx, round->row.id);
	}
	enum err err = tx_commit(&tx);
	if (!err && restored)
		log_warn("ownership of record sets restored: zone=%s storage_id=%s "
		         "sets=%zu reason=\"the database lost the rows of owned record "
		         "sets\"",
		         registry->zone_text, registry->settings->storage_id, restored);
	return err;
}

static bool round_writes_set(const struct plan_item *item)
{
	return plan_writes_set(item) && update_applies(item) &&
	       !(item->order && item->order->kind == ORDER_TRANSFER);
}

static const struct owned_row *round_owned_row(const struct round *round,
                                               const struct plan_item *item)
{
	struct name name;

	node_name(item->node, &name);

	struct set_key key = set_key_of(&name, item->type);
	return map_get(round->owned, key.octets, key.len);
}

/* Rows of the items that IS picks. */
static struct owned_row *round_owned_rows(const struct round *round,
                                          bool (*is)(const struct round *round,
                                                     const struct plan_item *item),
                                          size_t *count)
{
	const struct plan *plan = &round->plan;
	struct owned_row *rows = arena_alloc(round->scratch,
	                                     (plan->count + 1) * sizeof(*rows));

	*count = 0;
	for (size_t i = 0; i < plan->count; i++)
		if (is(round, &plan->items[i]))
			rows[(*count)++] = round_row_of(&plan->items[i]);
	return rows;
}

static bool item_will_be_owned(const struct round *round, const struct plan_item *item)
{
	(void)round;
	return round_writes_set(item);
}

/* ---- before the updates are sent ---- */

enum err round_owned_accept(void *self, struct why *why)
{
	struct round *round = self;
	struct owned_row *rows;
	size_t count;

	arena_reset(round->scratch);
	rows = round_owned_rows(round, item_will_be_owned, &count);
	if (!round->registry->storage->has_rows || (!count && !round->orders))
		return OK;

	struct tx tx = round_begin_tx(round, why);
	store_owned_intend(&tx, round->row.id, rows, count);
	round_orders_accept(round, &tx);
	round_owned_count(round, &tx);
	return tx_commit(&tx);
}

/* ---- after the answers ---- */

/* The row after the answer: the intended set exists, or nothing is intended. */
static struct owned_row owned_row_answered(const struct plan_item *item,
                                           enum answer answer)
{
	struct owned_row row = round_row_of(item);

	if (answer == ANSWER_TAKEN)
		row.rrset = row.intended;
	else
		row.intended.count = 0;
	return row;
}

/* The rows of written sets that got ANSWER. */
static struct owned_row *owned_rows_answered(const struct round *round,
                                             enum answer answer, size_t *count)
{
	struct owned_row *rows = arena_alloc(round->scratch, (round->plan.count + 1) *
	                                                   sizeof(*rows));

	*count = 0;
	for (size_t i = 0; i < round->update_count; i++) {
		const struct name_update *update = &round->updates[i];

		if (round_answer(round, i) != answer)
			continue;
		for (size_t j = update->first; j < update->first + update->count; j++)
			if (round_writes_set(&round->plan.items[j]))
				rows[(*count)++] = owned_row_answered(
				    &round->plan.items[j], answer);
	}
	return rows;
}

enum err round_owned_assign(void *self, struct why *why)
{
	struct round *round = self;
	const struct storage *storage = round->registry->storage;
	struct owned_row *rows, *unwritten;
	size_t taken, refused;

	arena_reset(round->scratch);
	rows = owned_rows_answered(round, ANSWER_TAKEN, &taken);
	unwritten = owned_rows_answered(round, ANSWER_REFUSED, &refused);
	if (!storage->has_rows) {
		storage->assign(round, NULL, rows, taken);
		return OK;
	}
	if (!taken && !refused)
		return OK;

	struct tx tx = round_begin_tx(round, why);
	storage->assign(round, &tx, rows, taken);
	store_owned_refused(&tx, round->row.id, unwritten, refused);
	round_owned_count(round, &tx);
	return tx_commit(&tx);
}

/* ---- after the reading ---- */

/* The zone has the set as planned; only our row differs. */
static bool item_is_as_planned(const struct plan_item *item)
{
	if (item->step == STEP_UPDATE)
		return item->becomes.ttl == item->set->rrset.ttl &&
		       rrset_same_records(&item->becomes, &item->set->rrset);
	return item->step == STEP_NONE && item->reason == REASON_WANTED;
}

/* The zone has the set as desired, we own it, and the row does not say so. */
static bool item_is_new(const struct round *round, const struct plan_item *item)
{
	const struct owned_row *row;

	if (!item->desired || !item->set->rrset.count || !item->set->ours ||
	    item->is_held || item->order || !item_is_as_planned(item))
		return false;
	row = round_owned_row(round, item);
	return !row || row->intended.count ||
	       strcmp(row->resource, item->desired->resource) ||
	       row->rrset.ttl != item->set->rrset.ttl ||
	       !rrset_same_records(&row->rrset, &item->set->rrset);
}

/* Set and mark are missing, or the set belongs to others and was never ours. */
static bool owned_row_is_gone(const struct round *round, const struct owned_row *row)
{
	const struct view_set *set =
	    node_find_set(view_find(round->view, &row->name), row->rrset.type);

	if (row->is_contested && set && set->owner == OWNER_NONE &&
	    set->rrset.count)
		return false;		/* the other registry may own it */
	return !set || (!set->ours && (!set->rrset.count || !row->rrset.count));
}

/* With storage "table": the row of a set that is missing and not desired. */
static bool item_is_orphan(const struct round *round, const struct plan_item *item)
{
	return !round->registry->storage->is_in_zone && item->step == STEP_UNMARK &&
	       !item->is_held;
}

static void owned_rows_push_gone(struct owned_row *rows, size_t *count,
                                 const struct name *name, uint16_t type)
{
	rows[(*count)++] = (struct owned_row){ .name = *name, .rrset.type = type,
	                                       .intended.type = type, .resource = "" };
}

/*
 * Rows of intended sets that were never created. A transfer may have given us these sets
 * since.
 */
static struct owned_row *owned_rows_unwritten(const struct round *round, size_t *count)
{
	struct owned_row *rows = arena_alloc(round->scratch,
	    (map_count(round->owned) + 1) * sizeof(*rows));

	*count = 0;
	for (const struct owned_row *owned = round->owned_rows; owned;
	     owned = owned->next)
		if (!owned->rrset.count && owned_row_is_gone(round, owned))
			owned_rows_push_gone(rows, count, &owned->name,
			                     owned->rrset.type);
	return rows;
}

/* The rows to delete. */
static struct owned_row *owned_rows_gone(const struct round *round, size_t *count)
{
	struct owned_row *rows = arena_alloc(round->scratch,
	    (map_count(round->owned) + round->plan.count + 1) * sizeof(*rows));

	*count = 0;
	for (const struct owned_row *owned = round->owned_rows; owned;
	     owned = owned->next)
		if (owned->rrset.count && owned_row_is_gone(round, owned))
			owned_rows_push_gone(rows, count, &owned->name,
			                     owned->rrset.type);
	for (size_t i = 0; i < round->plan.count; i++) {
		const struct plan_item *item = &round->plan.items[i];
		struct name name;

		node_name(item->node, &name);
		if (item_is_orphan(round, item))
			owned_rows_push_gone(rows, count, &name, item->type);
	}
	return rows;
}

/* The zone does not show rows, so the other registries must plan again. */
static void round_notify_others(const struct round *round, struct tx *tx)
{
	if (!round->registry->storage->is_in_zone)
		store_zone_changed(tx, round->registry->zone_text, round->row.id);
}

enum err round_owned_settle(void *self, struct why *why)
{
	struct round *round = self;
	struct owned_row *rows, *unwritten, *gone;
	size_t count, unwritten_count, gone_count;

	arena_reset(round->scratch);
	rows = round_owned_rows(round, item_is_new, &count);
	unwritten = owned_rows_unwritten(round, &unwritten_count);
	gone = owned_rows_gone(round, &gone_count);
	if (!round->registry->storage->has_rows ||
	    (!count && !unwritten_count && !gone_count))
		return OK;

	struct tx tx = round_begin_tx(round, why);
	store_owned_put(&tx, round->row.id, rows, count);
	store_owned_refused(&tx, round->row.id, unwritten, unwritten_count);
	store_owned_delete(&tx, round->row.id, gone, gone_count);
	if (unwritten_count || gone_count)
		round_notify_others(round, &tx);
	round_owned_count(round, &tx);
	return tx_commit(&tx);
}
