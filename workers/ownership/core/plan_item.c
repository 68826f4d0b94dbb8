#include "core/plan_private.h"

#include <stdio.h>

#include "model/rr.h"

struct plan_inputs *plan_inputs_of(struct view *view, const struct name *name)
{
	struct node *node = view_node(view, name);

	if (!node->user)
		node->user = arena_alloc(view_arena(view), sizeof(struct plan_inputs));
	return node->user;
}

const struct rrset *plan_owned_set(const struct node *node, uint16_t type)
{
	const struct plan_inputs *inputs = node->user;
	const struct owned_set *owned = inputs ? inputs->owned : NULL;

	while (owned && owned->rrset.type != type)
		owned = owned->next;
	return owned ? &owned->rrset : NULL;
}

bool plan_refuse(struct plan_item *item, enum plan_reason reason)
{
	item->step = STEP_NONE;
	item->reason = reason;
	return true;
}

bool plan_refuse_because(struct plan_item *item, enum plan_reason reason,
                         const char *words)
{
	snprintf(item->detail, sizeof(item->detail), "%.*s",
	         (int)sizeof(item->detail) - 1, words);
	return plan_refuse(item, reason);
}

bool plan_writes_set(const struct plan_item *item)
{
	return item->step == STEP_CREATE || item->step == STEP_UPDATE;
}

bool plan_is_signature(uint16_t type)
{
	return type == RR_RRSIG || type == RR_NSEC;
}

bool plan_is_ours(const struct view_set *set)
{
	return set->owner == OWNER_US ||
	       (set->owner == OWNER_SHARED && set->ours);
}

bool plan_has_stake(const struct node *node, uint16_t type)
{
	const struct view_set *set = node_find_set(node, type);
	const struct plan_inputs *inputs = node->user;

	return (set && plan_is_ours(set)) ||
	       (inputs && desired_of(inputs->desired, type));
}
