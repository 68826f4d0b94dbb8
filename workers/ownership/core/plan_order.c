#include "core/plan_private.h"

#include <string.h>

#include "core/share.h"

/* The resource of our set; for another set, the resource that desires it. */
static const char *order_resource(const struct plan_order *order,
                                  const struct plan_item *item)
{
	if (order->kind == ORDER_ADOPT)
		return item->desired ? item->desired->resource : NULL;
	return view_set_resource(item->set);
}

static bool order_is_for(const struct plan_order *order, const struct plan_item *item)
{
	const char *resource = order_resource(order, item);

	if (order->type && order->type != item->type)
		return false;
	if (order->kind == ORDER_ADOPT && !order->expected && !item->desired)
		return false;
	return !order->resource || (resource && !strcmp(order->resource, resource));
}

/* True: the order applies to the set. */
static bool order_fits(const struct plan_order *order, const struct plan_item *item)
{
	return order_is_for(order, item) &&
	       (order->kind == ORDER_ADOPT) != plan_is_ours(item->set);
}

/*
 * The oldest order that fits. Newer orders count the set as waiting: a later round
 * handles it for them.
 */
static struct plan_order *item_find_order(const struct plan_item *item)
{
	const struct plan_inputs *inputs = item->node->user;
	const struct order_entry *at = inputs ? inputs->orders : NULL;

	while (at && !order_fits(at->order, item))
		at = at->next;
	for (const struct order_entry *late = at ? at->next : NULL; late;
	     late = late->next)
		late->order->waiting += order_is_for(late->order, item);
	return at ? at->order : NULL;
}

/* Changes only the mark. */
static void item_change_mark(const struct planning *p, struct plan_item *item,
                             enum plan_reason reason)
{
	struct name place;

	plan_place(p->view, item, &place);
	if (!place.len && !view_form(p->view)->is_none) {
		plan_refuse_because(item, REASON_NO_MARK,
		                    "the zone has no free name for the ownership mark");
		return;
	}
	item->step = STEP_UPDATE;
	item->reason = reason;
	item->becomes = rrset_copy(&item->set->rrset, view_arena(p->view));
}

static void item_adopt(const struct planning *p, struct plan_item *item)
{
	const struct plan_order *order = item->order;

	if (item->set->owner != OWNER_NONE && item->set->owner != OWNER_VAGUE)
		plan_refuse(item, REASON_FOREIGN);
	else if (!item->desired || item->desired->has_lost)
		plan_refuse_because(item, REASON_UNMANAGED, item->desired
		                    ? "another endpoint has priority, so a round would "
		                      "delete the record set"
		                    : "no resource wants the record set, so a round "
		                      "would delete the record set: run 'zonefleet "
		                      "owner apply' first");
	else if (!rrset_same_records(order->expected ? order->expected
	                                             : &item->desired->rrset,
	                             &item->set->rrset))
		plan_refuse_because(item, REASON_UNMANAGED,
		                    "the records in the zone differ from the expected "
		                    "records");
	else
		item_change_mark(p, item, REASON_ADOPTED);
}

static void item_give_up(const struct planning *p, struct plan_item *item)
{
	if (!plan_is_ours(item->set) || share_has_others(item->set)) {
		plan_refuse(item, REASON_FOREIGN);
	} else if (item->order->kind == ORDER_TRANSFER) {
		item_change_mark(p, item, REASON_GIVEN);
	} else {
		item->step = STEP_UNMARK;
		item->reason = REASON_RELEASED;
	}
}

bool plan_follow_order(const struct planning *p, struct plan_item *item)
{
	struct plan_order *order = item->set->rrset.count ? item_find_order(item) : NULL;

	if (!order)
		return false;
	item->order = order;
	if (order->kind == ORDER_ADOPT)
		item_adopt(p, item);
	else
		item_give_up(p, item);
	return true;
}

void plan_order(struct view *view, const struct name *name, struct plan_order *order)
{
	struct plan_inputs *inputs = plan_inputs_of(view, name);
	struct order_entry *entry = arena_alloc(view_arena(view), sizeof(*entry));
	struct order_entry **end = &inputs->orders;

	while (*end)
		end = &(*end)->next;
	*entry = (struct order_entry){ NULL, order };
	*end = entry;
}
