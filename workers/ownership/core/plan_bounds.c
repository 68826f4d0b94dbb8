#include "core/plan_private.h"
#include "model/rr.h"

bool plan_is_managed(const struct plan_rules *rules, uint16_t type)
{
	for (size_t i = 0; i < rules->type_count; i++)
		if (rules->types[i] == type)
			return true;
	return false;
}

static bool plan_is_below_any(const struct name *name, const struct name *zones,
                              size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (name_is_below(name, &zones[i]))
			return true;
	return false;
}

bool plan_is_filtered(const struct plan_rules *rules, const struct node *node)
{
	struct name name;

	node_name(node, &name);
	return (rules->within_count &&
	        !plan_is_below_any(&name, rules->within, rules->within_count)) ||
	       plan_is_below_any(&name, rules->without, rules->without_count);
}

bool plan_is_protected(const struct planning *p, const struct node *node, uint16_t type)
{
	return !plan_is_managed(p->rules, type) || !mark_type_is_known(type) ||
	       (type == RR_NS && node->len == view_zone(p->view)->len);
}

bool plan_is_out_of_bounds(const struct planning *p, struct plan_item *item)
{
	struct name name;

	node_name(item->node, &name);
	if (plan_is_protected(p, item->node, item->type))
		return plan_refuse(item, REASON_PROTECTED);
	if (plan_is_filtered(p->rules, item->node))
		return plan_refuse(item, REASON_FILTERED);
	if (view_is_hidden(p->view, &name, item->type))
		return plan_refuse(item, REASON_OCCLUDED);
	return false;
}
