#include "core/plan_private.h"

#include <stdio.h>

#include "model/rr.h"

struct known *plan_known_of(struct view *view, const struct name *name)
{
	struct node *node = view_node(view, name);

	if (!node->user)
		node->user = arena_alloc(view_arena(view), sizeof(struct known));
	return node->user;
}

const struct rrset *plan_made_of(const struct node *node, uint16_t type)
{
	const struct known *known = node->user;
	const struct made *made = known ? known->made : NULL;

	while (made && made->is.type != type)
		made = made->next;
	return made ? &made->is : NULL;
}

bool plan_refuse(struct plan_item *item, enum plan_reason reason)
{
	item->step = STEP_NONE;
	item->reason = reason;
	return true;
}

bool plan_refuse_in_words(struct plan_item *item, enum plan_reason reason,
                          const char *words)
{
	snprintf(item->words, sizeof(item->words), "%.*s", (int)sizeof(item->words) - 1,
	         words);
	return plan_refuse(item, reason);
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

bool plan_is_in_play(const struct node *node, uint16_t type)
{
	const struct view_set *set = node_find_set(node, type);
	const struct known *known = node->user;

	return (set && plan_is_ours(set)) ||
	       (known && desired_of(known->desired, type));
}
