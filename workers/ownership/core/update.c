#include "core/update_private.h"

#include "model/rr.h"

/*
 * Requires exactly the records that we read, or no record. Marks are TXT records of the
 * same set.
 */
static void update_require_set(struct update_draft *draft, const struct name *name,
                               const struct view_set *set)
{
	if (set->rrset.type == RR_TXT)
		update_require_txt(draft, name);
	else if (set->rrset.count)
		update_require_records(draft, name, set->rrset.type, &set->rrset);
	else
		update_require(draft, UPDATE_NO_SET, name, set->rrset.type);
}

static bool node_is_in_use(const struct node *node)
{
	for (const struct view_set *set = node->sets; set;
	     set = set->next)
		if (set->rrset.count)
			return true;
	return node->marks.count;
}

/*
 * The types that a zone may have (IANA's registry). A server drops a CNAME that meets one
 * of them, and a prerequisite can only exclude each type separately.
 */
static const uint16_t stored_types[] = {
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
	22, 23, 26, 27, 28, 29, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 42, 43, 44,
	45, 48, 49, 51, 52, 53, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67,
	68, 99, 104, 105, 106, 107, 108, 109, 256, 257, 258, 259, 260, 261, 262, 263,
	264, 32768, 32769,
};

/* Requires that the name has only what we read, of whatever type. */
static void update_require_no_others(struct update_draft *draft,
                                     const struct plan_item *item,
                                     const struct name *name)
{
	if (!node_is_in_use(item->node)) {
		update_require(draft, UPDATE_NO_NAME, name, 0);
		return;
	}
	for (size_t i = 0; i < sizeof(stored_types) / sizeof(stored_types[0]); i++)
		if (!node_has_records(item->node, stored_types[i]) &&
		    !(stored_types[i] == RR_TXT && item->node->marks.count))
			update_require(draft, UPDATE_NO_SET, name, stored_types[i]);
}

/* Requires that a new set does not meet a set that cannot be beside it. */
static void update_require_room(struct update_draft *draft, const struct plan_item *item,
                                const struct name *name)
{
	if (item->type == RR_CNAME || item->type == RR_NS ||
	    view_form(draft->view)->is_same) {
		update_require_no_others(draft, item, name);
		return;
	}
	if (item->type == RR_TXT) {
		update_require_txt(draft, name);
		return;
	}
	update_require(draft, UPDATE_NO_SET, name, item->type);
	if (!node_has_records(item->node, RR_CNAME))
		update_require(draft, UPDATE_NO_SET, name, RR_CNAME);
}

static void update_remove_records(struct update_draft *draft,
                                  const struct plan_item *item, const struct name *name,
                                  const struct rrset *but)
{
	const struct rrset *is = &item->set->rrset;

	for (size_t i = 0; i < is->count; i++)
		if (!but || !rrset_has(but, is->records[i]))
			update_remove(draft, UPDATE_DELETE, name, item->type,
			              is->records[i]);
}

/* Marks that are TXT records of the same name stay. */
static void update_remove_set(struct update_draft *draft, const struct plan_item *item,
                              const struct name *name)
{
	if (item->type == RR_TXT && item->node->marks.count)
		update_remove_records(draft, item, name, NULL);
	else
		update_remove(draft, UPDATE_DELETE_SET, name, item->type,
		              (struct rdata){ 0 });
}

static void update_add_records(struct update_draft *draft, const struct plan_item *item,
                               const struct name *name, const struct rrset *but)
{
	const struct rrset *becomes = &item->becomes;

	for (size_t i = 0; i < becomes->count; i++)
		if (!but || !rrset_has(but, becomes->records[i]))
			update_add(draft, name, item->type, becomes->ttl,
			           becomes->records[i]);
}

/* Changes only records that differ. With a new TTL that is the whole set. */
static void update_change_set(struct update_draft *draft, const struct plan_item *item,
                              const struct name *name)
{
	if (item->set->rrset.ttl != item->becomes.ttl) {
		update_remove_set(draft, item, name);
		update_add_records(draft, item, name, NULL);
		return;
	}
	update_remove_records(draft, item, name, &item->becomes);
	update_add_records(draft, item, name, &item->set->rrset);
}

static void update_make_set(struct update_draft *draft, const struct plan_item *item)
{
	struct name name;

	node_name(item->node, &name);
	if (item->step == STEP_CREATE) {
		update_require_room(draft, item, &name);
		update_add_records(draft, item, &name, NULL);
		return;
	}
	update_require_set(draft, &name, item->set);
	if (item->step == STEP_DELETE)
		update_remove_set(draft, item, &name);
	else if (item->step != STEP_UNMARK)
		update_change_set(draft, item, &name);
}

/* Removals come first, because additions may need their place (3.4.2.2). */
static struct update_rrs update_join(const struct update_draft *draft)
{
	struct update_rrs all = draft->removals;

	for (size_t i = 0; i < draft->additions.count; i++)
		update_put(draft, &all, draft->additions.rrs[i]);
	return all;
}

void update_make(struct view *view, const struct plan_item *items, size_t count,
                 uint32_t mark_ttl, struct update *update)
{
	struct update_draft draft = { .view = view, .items = items, .count = count,
	                              .mark_ttl = mark_ttl };
	bool is_any = false;

	*update = (struct update){ 0 };
	for (size_t i = 0; i < count; i++) {
		if (!update_applies(&items[i]))
			continue;
		is_any = true;
		update_make_set(&draft, &items[i]);
	}
	if (!is_any)
		return;
	update_make_marks(&draft);
	update->prerequisites = draft.prerequisites;
	update->changes = update_join(&draft);
}
