#include <string.h>

#include "core/plan_private.h"
#include "core/share.h"

/*
 * True: in the seed's form the item's mark is at its own name; some types are exceptions.
 */
static bool item_mark_is_at_name(const struct view *view, const struct plan_item *item,
                                 const struct node *at)
{
	struct name name, mark;
	struct why why;

	node_name(item->node, &name);
	return view_form(view)->is_same && at == item->node &&
	       !mark_name(view_form(view), &name, item->type, view_zone(view), &mark,
	                  &why) &&
	       name_equal(&name, &mark);
}

bool plan_is_in_place(const struct view *view, const struct plan_item *item)
{
	const struct marking *ours = item->set->ours;

	if (!ours || !ours->node)
		return false;
	for (const struct claim *claim = item->set->claims; claim;
	     claim = claim->next)
		if (claim->by == ours)
			return !claim->is_former;
	return item_mark_is_at_name(view, item, ours->node) &&
	       (ours->is_bare || !ours->is_ambiguous);
}

void plan_place(const struct view *view, const struct plan_item *item, struct name *place)
{
	struct why why;

	if (plan_is_in_place(view, item))
		node_name(item->set->ours->node, place);
	else if (view_mark_name(view, item->node, item->type, place, &why))
		*place = (struct name){ 0 };
}

bool plan_is_bare(const struct view *view, const struct plan_item *item,
                  const struct name *place)
{
	return view_form(view)->is_same && place->len == item->node->len &&
	       !memcmp(place->wire, item->node->wire, place->len);
}

bool plan_is_sealed(const struct view *view, const struct plan_item *item,
                    const struct name *place)
{
	return view_key(view) && place->len && !plan_is_bare(view, item, place);
}

static bool item_is_shared(const struct plan_item *item)
{
	return item->desired->is_shared ||
	       (item->set->owner == OWNER_SHARED && share_has_others(item->set));
}

void plan_mark(struct view *view, const struct plan_item *item, struct mark *mark)
{
	const struct marking *ours = item->set->ours;
	bool is_given = item->order && item->order->kind == ORDER_TRANSFER;
	bool shared = !is_given && item_is_shared(item);
	struct name place;

	*mark = (struct mark){ 0 };
	plan_place(view, item, &place);
	if (ours && !plan_is_bare(view, item, &place))
		*mark = *ours->mark;
	mark_set(mark, "owner", is_given ? item->order->to : view_owner(view));
	if (is_given || plan_is_bare(view, item, &place))
		return;
	mark_set(mark, "resource", item->desired->resource);
	mark_set(mark, "shared", shared ? "true" : NULL);
	mark_set(mark, "part",
	         shared ? share_part(&item->desired->rrset, view_arena(view))
	                              : NULL);
}
