#include "core/update_private.h"

#include <string.h>

#include "model/rr.h"

bool update_is_done(const struct plan_item *item)
{
	return item->step != STEP_NONE && !item->is_held &&
	       !(item->order && item->order->is_dry);
}

bool update_is_arrival(const struct plan_item *item)
{
	return item->step == STEP_CREATE || item->step == STEP_UPDATE;
}

void update_put(const struct making *making, struct update_rrs *to, struct update_rr rr)
{
	struct update_rr *old = to->rrs;

	if (to->count == to->size) {
		to->size = to->size ? 2 * to->size : 4;
		to->rrs = arena_alloc(view_arena(making->view), to->size * sizeof(rr));
		if (old)
			memcpy(to->rrs, old, to->count * sizeof(rr));
	}
	to->rrs[to->count++] = rr;
}

void update_require(struct making *making, enum update_kind kind, const struct name *name,
                    uint16_t type)
{
	update_put(making, &making->prerequisites,
	    (struct update_rr){ .kind = kind, .name = *name, .type = type });
}

void update_require_records(struct making *making, const struct name *name, uint16_t type,
                            const struct rrset *set)
{
	for (size_t i = 0; i < set->count; i++)
		update_put(making, &making->prerequisites,
		    (struct update_rr){ .kind = UPDATE_SET_IS, .name = *name,
		                        .type = type, .rdata = set->records[i] });
}

void update_remove(struct making *making, enum update_kind kind, const struct name *name,
                   uint16_t type, struct rdata rdata)
{
	update_put(making, &making->removals,
	    (struct update_rr){ kind, *name, type, 0, rdata });
}

void update_add(struct making *making, const struct name *name, uint16_t type,
                uint32_t ttl, struct rdata rdata)
{
	update_put(making, &making->additions,
	    (struct update_rr){ UPDATE_ADD, *name, type, ttl, rdata });
}

/* True: it was asked for before. */
static bool is_required(struct making *making, const struct node *node)
{
	const struct node **old = making->required;

	for (size_t i = 0; i < making->required_count; i++)
		if (old[i] == node)
			return true;
	if (making->required_count == making->required_size) {
		making->required_size = making->required_size ? 2 * making->required_size
		                                              : 4;
		making->required = arena_alloc(view_arena(making->view),
		                               making->required_size * sizeof(node));
		if (old)
			memcpy(making->required, old,
			       making->required_count * sizeof(node));
	}
	making->required[making->required_count++] = node;
	return false;
}

void update_require_txt(struct making *making, const struct name *name)
{
	const struct node *node = view_node(making->view, name);
	const struct view_set *txt = node_find_set(node, RR_TXT);

	if (is_required(making, node))
		return;
	update_require_records(making, name, RR_TXT, &node->marks);
	if (txt)
		update_require_records(making, name, RR_TXT, &txt->rrset);
	if (node->marks.count || view_set_exists(txt))
		return;
	update_require(making, UPDATE_NO_SET, name, RR_TXT);
	if (!node_has_records(node, RR_CNAME))
		update_require(making, UPDATE_NO_SET, name, RR_CNAME);
}
