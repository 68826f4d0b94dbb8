#include "core/update_private.h"

#include <string.h>

#include "model/rr.h"

bool update_applies(const struct plan_item *item)
{
	return item->step != STEP_NONE && !item->is_held &&
	       !(item->order && item->order->is_dry);
}

void update_put(const struct update_draft *draft, struct update_rrs *to,
                struct update_rr rr)
{
	struct update_rr *old = to->rrs;

	if (to->count == to->size) {
		to->size = to->size ? 2 * to->size : 4;
		to->rrs = arena_alloc(view_arena(draft->view), to->size * sizeof(rr));
		if (old)
			memcpy(to->rrs, old, to->count * sizeof(rr));
	}
	to->rrs[to->count++] = rr;
}

void update_require(struct update_draft *draft, enum update_kind kind,
                    const struct name *name, uint16_t type)
{
	update_put(draft, &draft->prerequisites,
	    (struct update_rr){ .kind = kind, .name = *name, .type = type });
}

void update_require_records(struct update_draft *draft, const struct name *name,
                            uint16_t type, const struct rrset *set)
{
	for (size_t i = 0; i < set->count; i++)
		update_put(draft, &draft->prerequisites,
		    (struct update_rr){ .kind = UPDATE_SET_IS, .name = *name,
		                        .type = type, .rdata = set->records[i] });
}

void update_remove(struct update_draft *draft, enum update_kind kind,
                   const struct name *name, uint16_t type, struct rdata rdata)
{
	update_put(draft, &draft->removals,
	    (struct update_rr){ kind, *name, type, 0, rdata });
}

void update_add(struct update_draft *draft, const struct name *name, uint16_t type,
                uint32_t ttl, struct rdata rdata)
{
	update_put(draft, &draft->additions,
	    (struct update_rr){ UPDATE_ADD, *name, type, ttl, rdata });
}

/* True: the node has been noted before. */
static bool update_note_required(struct update_draft *draft, const struct node *node)
{
	const struct node **old = draft->required;

	for (size_t i = 0; i < draft->required_count; i++)
		if (old[i] == node)
			return true;
	if (draft->required_count == draft->required_size) {
		draft->required_size = draft->required_size ? 2 * draft->required_size
		                                            : 4;
		draft->required = arena_alloc(view_arena(draft->view),
		                              draft->required_size * sizeof(node));
		if (old)
			memcpy(draft->required, old,
			       draft->required_count * sizeof(node));
	}
	draft->required[draft->required_count++] = node;
	return false;
}

void update_require_txt(struct update_draft *draft, const struct name *name)
{
	const struct node *node = view_node(draft->view, name);
	const struct view_set *txt = node_find_set(node, RR_TXT);

	if (update_note_required(draft, node))
		return;
	update_require_records(draft, name, RR_TXT, &node->marks);
	if (txt)
		update_require_records(draft, name, RR_TXT, &txt->rrset);
	if (node->marks.count || view_set_exists(txt))
		return;
	update_require(draft, UPDATE_NO_SET, name, RR_TXT);
	if (!node_has_records(node, RR_CNAME))
		update_require(draft, UPDATE_NO_SET, name, RR_CNAME);
}
