#include <string.h>

#include "core/update_private.h"
#include "model/rr.h"

/* One TXT record that is a mark: as it stands, or will. */
struct spot {
	struct spot *next;
	struct name place;
	struct rdata rdata;
	const struct marking *instead_of;	/* at the same place, or NULL */
};

static bool is_at(const struct spot *spot, const struct node *node, struct rdata rdata)
{
	return spot->place.len == node->len &&
	       !memcmp(spot->place.wire, node->wire, node->len) &&
	       !rdata_compare(spot->rdata, rdata);
}

static bool has_spot(const struct spot *spots, const struct marking *marking)
{
	while (spots && !is_at(spots, marking->node, marking->rdata))
		spots = spots->next;
	return spots;
}

static struct spot *add_spot(const struct making *making, struct spot **spots,
                             const struct name *place, struct rdata rdata)
{
	struct spot *spot = *spots;

	while (spot && (!name_equal(&spot->place, place) ||
	                rdata_compare(spot->rdata, rdata)))
		spot = spot->next;
	if (spot)
		return spot;
	spot = arena_alloc(view_arena(making->view), sizeof(*spot));
	*spot = (struct spot){ *spots, *place, rdata };
	*spots = spot;
	return spot;
}

/* ---- what will be ---- */

/* What says so already is written as it stands: who sealed it may do it otherwise. */
static bool is_written(const struct plan_item *item, const struct mark *mark,
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

static struct rdata rdata_of(const struct making *making, const struct plan_item *item,
                             const struct name *place)
{
	bool is_sealed = plan_is_sealed(making->view, item, place);
	struct buf rdata = { 0 };
	struct rdata copy;
	struct mark mark;

	plan_mark(making->view, item, &mark);
	if (is_written(item, &mark, is_sealed, place))
		return item->set->ours->rdata;
	if (is_sealed)
		mark_write_sealed(&mark, view_key(making->view), place->wire, place->len,
		                  &rdata);
	else
		mark_write(&mark, plan_is_bare(making->view, item, place), &rdata);
	copy.len = (uint16_t)rdata.len;
	copy.octets = arena_dup(view_arena(making->view), rdata.data, rdata.len);
	buf_clear(&rdata);
	return copy;
}

static const struct plan_item *item_of(const struct making *making,
                                       const struct view_set *set)
{
	for (size_t i = 0; i < making->count; i++)
		if (making->items[i].set == set &&
		    update_is_done(&making->items[i]))
			return &making->items[i];
	return NULL;
}

static bool is_named_by(const struct view_set *set, const struct marking *marking)
{
	const struct claim *claim = set->claims;

	while (claim && claim->by != marking)
		claim = claim->next;
	return claim;
}

static bool parts_with_a_set(const struct making *making)
{
	for (size_t i = 0; i < making->count; i++)
		if (update_is_done(&making->items[i]) &&
		    (making->items[i].step == STEP_DELETE || making->items[i].order))
			return true;
	return false;
}

/*
 * Nothing is done to it: its mark stays as it is, but one without a type, or in doubt,
 * does not for what is not there. Nor does one in doubt when a set goes: is_to_go().
 */
static void keep_mark(const struct making *making, const struct view_set *set,
                      struct spot **spots)
{
	const struct marking *ours = set->ours;
	struct name place;

	if (!ours || !ours->node)
		return;
	if (!set->rrset.count && (ours->is_ambiguous || !is_named_by(set, ours)))
		return;
	if (ours->is_ambiguous && parts_with_a_set(making) &&
	    !view_set_is_ours_anyway(set))
		return;
	node_name(set->ours->node, &place);
	add_spot(making, spots, &place, set->ours->rdata);
}

static void set_mark(const struct making *making, const struct plan_item *item,
                     struct spot **spots)
{
	const struct marking *ours = item->set->ours;
	struct name place;
	struct spot *spot;

	plan_place(making->view, item, &place);
	if (!place.len)
		return;
	spot = add_spot(making, spots, &place, rdata_of(making, item, &place));
	if (ours && ours->node && ours->node == view_find(making->view, &place))
		spot->instead_of = ours;
}

static struct spot *marks_that_will_be(const struct making *making)
{
	struct spot *spots = NULL;

	for (const struct view_set *set = making->items->node->sets; set;
	     set = set->next) {
		const struct plan_item *item = item_of(making, set);

		if (!item)
			keep_mark(making, set, &spots);
		else if (update_is_arrival(item))
			set_mark(making, item, &spots);
	}
	return spots;
}

/* ---- and what is ---- */

static bool stands(const struct making *making, const struct spot *spot)
{
	const struct node *node = view_find(making->view, &spot->place);
	struct rdata rdata = spot->rdata;

	return node && node->marks.count && rrset_has(&node->marks, rdata);
}

/* Is it written anew where it stands? */
static bool is_rewritten(const struct spot *spots, const struct marking *marking)
{
	while (spots && spots->instead_of != marking)
		spots = spots->next;
	return spots;
}

/*
 * What may be for a set of another name stays. But when one that it may be for goes, it
 * would be for that other set beyond doubt: then it stays only where that is ours
 * anyway, and wanted.
 */
static bool is_to_go(const struct making *making, const struct marking *by,
                     const struct spot *will)
{
	return by->is_ours && !has_spot(will, by) &&
	       (is_rewritten(will, by) ||
	        !view_is_needed(making->view, by, making->items->node,
	                        parts_with_a_set(making)));
}

static void remove_claims(struct making *making, const struct claim *claims,
                          const struct spot *will)
{
	struct name place;

	for (; claims; claims = claims->next) {
		const struct marking *by = claims->by;

		if (!by->node)
			continue;
		node_name(by->node, &place);
		update_require_txt(making, &place);
		if (is_to_go(making, by, will))
			update_remove(making, UPDATE_DELETE, &place, RR_TXT, by->rdata);
	}
}

/* As TTL what is there has, for there is but one of a set. */
static uint32_t ttl_at(const struct making *making, const struct name *place)
{
	const struct node *node = view_find(making->view, place);
	const struct view_set *txt = node_find_set(node, RR_TXT);

	if (node && node->marks.count)
		return node->marks.ttl;
	return view_set_exists(txt) ? txt->rrset.ttl : making->mark_ttl;
}

static bool is_touched(const struct making *making, const struct view_set *set)
{
	return item_of(making, set) || set->owner == OWNER_SHARED;
}

/*
 * The marks of a name's sets are seen as a whole: one may be for several sets, and goes
 * with the last of them.
 */
void update_make_marks(struct making *making)
{
	const struct node *node = making->items->node;
	struct spot *will = marks_that_will_be(making);

	for (const struct view_set *set = node->sets; set;
	     set = set->next)
		if (is_touched(making, set))
			remove_claims(making, set->claims, will);
	remove_claims(making, node->untyped, will);
	for (const struct spot *spot = will; spot; spot = spot->next) {
		update_require_txt(making, &spot->place);
		if (!stands(making, spot))
			update_add(making, &spot->place, RR_TXT,
			           ttl_at(making, &spot->place), spot->rdata);
	}
}
