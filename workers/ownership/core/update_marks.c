#include <string.h>

#include "core/update_private.h"
#include "model/rr.h"

/* A TXT record that is a mark, present or planned. */
struct mark_rr {
	struct mark_rr *next;
	struct name place;
	struct rdata rdata;
	/* the mark that it replaces at the same place, or NULL */
	const struct marking *instead_of;
};

static bool mark_rr_is_at(const struct mark_rr *rr, const struct node *node,
                          struct rdata rdata)
{
	return rr->place.len == node->len &&
	       !memcmp(rr->place.wire, node->wire, node->len) &&
	       !rdata_compare(rr->rdata, rdata);
}

static bool mark_rrs_have(const struct mark_rr *rrs, const struct marking *marking)
{
	while (rrs && !mark_rr_is_at(rrs, marking->node, marking->rdata))
		rrs = rrs->next;
	return rrs;
}

static struct mark_rr *mark_rrs_add(const struct update_draft *draft,
                                    struct mark_rr **rrs, const struct name *place,
                                    struct rdata rdata)
{
	struct mark_rr *rr = *rrs;

	while (rr && (!name_equal(&rr->place, place) ||
	              rdata_compare(rr->rdata, rdata)))
		rr = rr->next;
	if (rr)
		return rr;
	rr = arena_alloc(view_arena(draft->view), sizeof(*rr));
	*rr = (struct mark_rr){ *rrs, *place, rdata };
	*rrs = rr;
	return rr;
}

/* ---- planned marks ---- */

/*
 * True: the mark exists already. Then it is kept as written: another seal of the same
 * text may differ.
 */
static bool item_has_mark(const struct plan_item *item, const struct mark *mark,
                          bool is_sealed, const struct name *place)
{
	const struct marking *ours = item->set->ours;
	struct name at;

	if (!ours || !ours->node || ours->is_sealed != is_sealed ||
	    !mark_equal(ours->mark, mark))
		return false;
	node_name(ours->node, &at);
	return name_equal(&at, place);
}

static struct rdata item_mark_rdata(const struct update_draft *draft,
                                    const struct plan_item *item,
                                    const struct name *place)
{
	bool is_sealed = plan_is_sealed(draft->view, item, place);
	struct buf rdata = { 0 };
	struct rdata copy;
	struct mark mark;

	plan_mark(draft->view, item, &mark);
	if (item_has_mark(item, &mark, is_sealed, place))
		return item->set->ours->rdata;
	if (is_sealed)
		mark_write_sealed(&mark, view_key(draft->view), place->wire, place->len,
		                  &rdata);
	else
		mark_write(&mark, plan_is_bare(draft->view, item, place), &rdata);
	copy.len = (uint16_t)rdata.len;
	copy.octets = arena_dup(view_arena(draft->view), rdata.data, rdata.len);
	buf_clear(&rdata);
	return copy;
}

static const struct plan_item *update_find_item(const struct update_draft *draft,
                                                const struct view_set *set)
{
	for (size_t i = 0; i < draft->count; i++)
		if (draft->items[i].set == set &&
		    update_applies(&draft->items[i]))
			return &draft->items[i];
	return NULL;
}

static bool set_is_named_by(const struct view_set *set, const struct marking *marking)
{
	const struct claim *claim = set->claims;

	while (claim && claim->by != marking)
		claim = claim->next;
	return claim;
}

static bool update_gives_up_set(const struct update_draft *draft)
{
	for (size_t i = 0; i < draft->count; i++)
		if (update_applies(&draft->items[i]) &&
		    (draft->items[i].step == STEP_DELETE || draft->items[i].order))
			return true;
	return false;
}

/*
 * The update does not touch the set, so its mark stays. There are two exceptions: an
 * untyped or ambiguous mark does not stay for a missing set, and an ambiguous one does
 * not stay when a set is removed (update_removes_mark()).
 */
static void mark_rrs_keep(const struct update_draft *draft, const struct view_set *set,
                          struct mark_rr **rrs)
{
	const struct marking *ours = set->ours;
	struct name place;

	if (!ours || !ours->node)
		return;
	if (!set->rrset.count && (ours->is_ambiguous || !set_is_named_by(set, ours)))
		return;
	if (ours->is_ambiguous && update_gives_up_set(draft) &&
	    !view_set_is_ours_anyway(set))
		return;
	node_name(set->ours->node, &place);
	mark_rrs_add(draft, rrs, &place, set->ours->rdata);
}

static void mark_rrs_set(const struct update_draft *draft, const struct plan_item *item,
                         struct mark_rr **rrs)
{
	const struct marking *ours = item->set->ours;
	struct name place;
	struct mark_rr *rr;

	plan_place(draft->view, item, &place);
	if (!place.len)
		return;
	rr = mark_rrs_add(draft, rrs, &place, item_mark_rdata(draft, item, &place));
	if (ours && ours->node && ours->node == view_find(draft->view, &place))
		rr->instead_of = ours;
}

static struct mark_rr *mark_rrs_planned(const struct update_draft *draft)
{
	struct mark_rr *rrs = NULL;

	for (const struct view_set *set = draft->items->node->sets; set;
	     set = set->next) {
		const struct plan_item *item = update_find_item(draft, set);

		if (!item)
			mark_rrs_keep(draft, set, &rrs);
		else if (plan_writes_set(item))
			mark_rrs_set(draft, item, &rrs);
	}
	return rrs;
}

/* ---- present marks ---- */

static bool mark_rr_exists(const struct update_draft *draft, const struct mark_rr *rr)
{
	const struct node *node = view_find(draft->view, &rr->place);
	struct rdata rdata = rr->rdata;

	return node && node->marks.count && rrset_has(&node->marks, rdata);
}

/* True: the mark is written again at its place. */
static bool mark_rrs_replace(const struct mark_rr *rrs, const struct marking *marking)
{
	while (rrs && rrs->instead_of != marking)
		rrs = rrs->next;
	return rrs;
}

/*
 * True: the update removes the mark. A mark that may be for a set of another name stays.
 * But if one of the sets that it may be for is removed, the mark would clearly be for the
 * other set. Then it stays only if that set is ours anyway and desired.
 */
static bool update_removes_mark(const struct update_draft *draft,
                                const struct marking *by, const struct mark_rr *will)
{
	return by->is_ours && !mark_rrs_have(will, by) &&
	       (mark_rrs_replace(will, by) ||
	        !view_is_needed(draft->view, by, draft->items->node,
	                        update_gives_up_set(draft)));
}

static void update_remove_marks(struct update_draft *draft, const struct claim *claims,
                                const struct mark_rr *will)
{
	struct name place;

	for (; claims; claims = claims->next) {
		const struct marking *by = claims->by;

		if (!by->node)
			continue;
		node_name(by->node, &place);
		update_require_txt(draft, &place);
		if (update_removes_mark(draft, by, will))
			update_remove(draft, UPDATE_DELETE, &place, RR_TXT, by->rdata);
	}
}

/* The TTL of the present marks, because a set has only one TTL. */
static uint32_t update_mark_ttl(const struct update_draft *draft,
                                const struct name *place)
{
	const struct node *node = view_find(draft->view, place);
	const struct view_set *txt = node_find_set(node, RR_TXT);

	if (node && node->marks.count)
		return node->marks.ttl;
	return view_set_exists(txt) ? txt->rrset.ttl : draft->mark_ttl;
}

static bool update_touches_set(const struct update_draft *draft,
                               const struct view_set *set)
{
	return update_find_item(draft, set) || set->owner == OWNER_SHARED;
}

/*
 * The marks of all sets of a name are handled together: a mark may be for several sets,
 * and is removed with the last of them.
 */
void update_make_marks(struct update_draft *draft)
{
	const struct node *node = draft->items->node;
	struct mark_rr *will = mark_rrs_planned(draft);

	for (const struct view_set *set = node->sets; set;
	     set = set->next)
		if (update_touches_set(draft, set))
			update_remove_marks(draft, set->claims, will);
	update_remove_marks(draft, node->untyped, will);
	for (const struct mark_rr *rr = will; rr; rr = rr->next) {
		update_require_txt(draft, &rr->place);
		if (!mark_rr_exists(draft, rr))
			update_add(draft, &rr->place, RR_TXT,
			           update_mark_ttl(draft, &rr->place), rr->rdata);
	}
}
