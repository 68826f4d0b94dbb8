#include <stdio.h>
#include <string.h>

#include "core/plan_private.h"
#include "core/share.h"
#include "model/rr.h"

static void item_decide(struct plan_item *item, enum plan_step step,
                        enum plan_reason reason)
{
	item->step = step;
	item->reason = reason;
}

static void item_refuse_foreign(struct plan_item *item)
{
	plan_refuse(item, view_set_exists(item->set) ? REASON_FOREIGN
	                                               : REASON_FOREIGN_ORPHAN);
}

/* ---- other sets at the name ---- */

/*
 * True: both cannot be at one name. A CNAME must be alone, a delegation hides other sets,
 * and the apex can have neither.
 */
static bool item_excludes(const struct plan_item *item, const struct view_set *other)
{
	return item->type == RR_CNAME || other->rrset.type == RR_CNAME ||
	       item->type == RR_NS;
}

static bool set_is_obstacle(const struct planning *p, const struct plan_item *item,
                            const struct view_set *other)
{
	if (item_excludes(item, other))
		return !plan_is_ours(other) || share_has_others(other);
	if (plan_is_ours(other))
		return false;
	/* a mark in the seed's form would be for that set, too */
	return view_form(p->view)->is_same ||
	       (!p->rules->by_set &&
	        !plan_is_protected(p, item->node, other->rrset.type));
}

static const struct view_set *item_find_obstacle(const struct planning *p,
                                                 const struct plan_item *item)
{
	const struct view_set *other = item->node->sets;

	while (other && (other->rrset.type == item->type || !other->rrset.count ||
	                 plan_is_signature(other->rrset.type) ||
	                 !set_is_obstacle(p, item, other)))
		other = other->next;
	return other;
}

/* True: the mark of another set of ours is at NODE, or would be. */
static bool node_has_mark_place(const struct planning *p, const struct node *node)
{
	struct mark_reading readings[MARK_READINGS_MAX];
	struct name name;

	node_name(node, &name);

	size_t count = mark_readings(view_form(p->view), &name, view_zone(p->view),
	                             readings);
	for (size_t i = 0; i < count; i++) {
		const struct node *of = view_find(p->view, &readings[i].name);

		if (of && of != node && readings[i].type &&
		    plan_has_stake(of, readings[i].type))
			return true;
	}
	return false;
}

/*
 * True: marks at the name would conflict with a CNAME. Our marks are removed if they are
 * for this name.
 */
static bool node_keeps_marks(const struct planning *p, const struct node *node)
{
	size_t going = 0;

	for (const struct claim *claim = node->untyped; claim; claim = claim->next)
		going += claim->by->node == node &&
		         !view_is_needed(p->view, claim->by, node, false);
	return node->marks.count > going || node_has_mark_place(p, node);
}

/* In the seed's form a new mark may also be at the name. */
static bool node_has_marks_beside(const struct planning *p, const struct node *node)
{
	const struct plan_inputs *inputs = node->user;

	return node->marks.count || node_has_mark_place(p, node) ||
	       (view_form(p->view)->is_same && inputs && inputs->desired &&
	        (inputs->desired->next || node->sets->next));
}

static bool item_has_obstacle(const struct planning *p, struct plan_item *item)
{
	const struct view_set *other = item_find_obstacle(p, item);
	const struct plan_inputs *inputs = item->node->user;

	if (other && other->rrset.type == RR_CNAME)
		return plan_refuse(item, REASON_FOREIGN_CNAME);
	if (other || (item->type == RR_CNAME && node_keeps_marks(p, item->node)))
		return plan_refuse(item, REASON_NAME_SHARED);
	if (item->type == RR_TXT && node_has_marks_beside(p, item->node))
		return plan_refuse(item, REASON_NAME_SHARED);
	if ((item->type == RR_NS || item->type == RR_DNAME) && inputs &&
	    inputs->hides_names)
		return plan_refuse(item, REASON_HIDES);
	return false;
}

/* ---- a desired set ---- */

static void item_set_becomes(const struct planning *p, struct plan_item *item)
{
	item->becomes = rrset_copy(&item->desired->rrset, view_arena(p->view));
	if (!item->desired->has_ttl)
		item->becomes.ttl = view_set_exists(item->set)
		                        ? item->set->rrset.ttl : p->rules->ttl;
}

/* True: we owned all of it, and its mark was lost. */
static bool set_can_be_reclaimed(const struct planning *p, const struct node *node,
                                 const struct view_set *set)
{
	const struct rrset *owned = plan_owned_set(node, set->rrset.type);

	return p->rules->reclaims && set->owner == OWNER_NONE && owned &&
	       rrset_same_records(owned, &set->rrset);
}

/* True: in the seed's form its mark would also be for sets of others at the name. */
static bool item_mark_covers_others(const struct planning *p,
                                    const struct plan_item *item)
{
	const struct view_set *other = item->node->sets;

	if (!view_form(p->view)->is_same)
		return false;
	while (other && (other->rrset.type == item->type || !other->rrset.count ||
	                 plan_is_signature(other->rrset.type) || plan_is_ours(other) ||
	                 set_can_be_reclaimed(p, item->node, other)))
		other = other->next;
	return other;
}

static bool item_lacks_mark_place(const struct planning *p, struct plan_item *item)
{
	struct name mark;
	struct why why;

	if (item_mark_covers_others(p, item))
		return plan_refuse(item, REASON_NAME_SHARED);
	return view_mark_name(p->view, item->node, item->type, &mark, &why) &&
	       plan_refuse_because(item, REASON_NO_MARK, why.text);
}

static void item_decide_creation(const struct planning *p, struct plan_item *item,
                                 enum plan_reason reason)
{
	if (item_has_obstacle(p, item) || item_lacks_mark_place(p, item))
		return;
	item_decide(item, STEP_CREATE, reason);
	item_set_becomes(p, item);
}

static bool item_is_as_desired(const struct plan_item *item)
{
	const struct rrset *is = &item->set->rrset;

	return rrset_same_records(is, &item->desired->rrset) &&
	       (!item->desired->has_ttl || item->desired->rrset.ttl == is->ttl);
}

static void item_decide_unmanaged(const struct planning *p, struct plan_item *item)
{
	const struct rrset *owned = plan_owned_set(item->node, item->type);

	if (!view_set_exists(item->set)) {
		item_decide_creation(p, item, REASON_WANTED);
		return;
	}
	if (!owned) {
		plan_refuse(item, item_is_as_desired(item) ? REASON_UNMANAGED_EQUAL
		                                           : REASON_UNMANAGED);
		return;
	}
	plan_refuse(item, REASON_MARK_LOST);
	if (set_can_be_reclaimed(p, item->node, item->set) &&
	    !item_lacks_mark_place(p, item)) {
		item->step = STEP_UPDATE;
		item_set_becomes(p, item);
	}
}

/* True: each mark of ours that names only this set is at its place. */
static bool item_has_one_mark_place(const struct plan_item *item,
                                    const struct name *place)
{
	for (const struct claim *claim = item->set->claims; claim;
	     claim = claim->next) {
		struct name at = { 0 };

		if (!claim->by->is_ours || claim->by->is_ambiguous)
			continue;
		if (claim->by->node)
			node_name(claim->by->node, &at);
		if (at.len != place->len || memcmp(at.wire, place->wire, at.len))
			return false;
	}
	return true;
}

static bool item_is_marked_right(const struct planning *p, const struct plan_item *item)
{
	const struct marking *ours = item->set->ours;
	struct name place, at = { 0 };
	struct mark mark;

	if (!ours)
		return false;
	plan_place(p->view, item, &place);
	plan_mark(p->view, item, &mark);
	if (ours->node)
		node_name(ours->node, &at);
	return at.len == place.len && !memcmp(at.wire, place.wire, at.len) &&
	       ours->is_sealed == plan_is_sealed(p->view, item, &place) &&
	       item_has_one_mark_place(item, &place) && mark_equal(&mark, ours->mark);
}

static bool item_has_drifted(const struct plan_item *item)
{
	const struct rrset *owned = plan_owned_set(item->node, item->type);

	return owned && !rrset_same_records(owned, &item->set->rrset);
}

static void item_decide_owned(const struct planning *p, struct plan_item *item)
{
	bool drifted = view_set_exists(item->set) && item_has_drifted(item);

	if (!view_set_exists(item->set)) {
		item_decide_creation(p, item, REASON_REPAIR);
		return;
	}
	if (item_is_as_desired(item) && item_is_marked_right(p, item)) {
		item_decide(item, STEP_NONE, REASON_WANTED);
		return;
	}
	if (p->rules->policy == POLICY_CREATE_ONLY) {
		plan_refuse(item, REASON_POLICY);
		return;
	}
	if (!plan_is_in_place(p->view, item) && item_lacks_mark_place(p, item))
		return;
	item_decide(item, drifted && p->rules->keeps_drift ? STEP_NONE : STEP_UPDATE,
	            drifted ? REASON_DRIFT : REASON_WANTED);
	item_set_becomes(p, item);
}

static bool rrtype_is_single(uint16_t type)
{
	return type == RR_CNAME || type == RR_DNAME;
}

/* Sets our part of a shared set. It stays shared as long as other owners have a part. */
static void item_decide_part(const struct planning *p, struct plan_item *item)
{
	bool joins = !item->set->ours;

	if (joins && !item->desired->is_shared) {
		item_refuse_foreign(item);
		return;
	}
	if (!view_set_exists(item->set)) {
		item_decide_creation(p, item, joins ? REASON_WANTED : REASON_REPAIR);
		return;
	}
	item->becomes = share_merge(item->set, &item->desired->rrset,
	                            view_arena(p->view));
	if (rrtype_is_single(item->type) && item->becomes.count > 1) {
		plan_refuse(item, REASON_NAME_SHARED);
		return;
	}
	if (rrset_same_records(&item->becomes, &item->set->rrset) &&
	    item_is_marked_right(p, item))
		item_decide(item, STEP_NONE, REASON_WANTED);
	else if (p->rules->policy == POLICY_CREATE_ONLY && !joins)
		plan_refuse(item, REASON_POLICY);
	else if (plan_is_in_place(p->view, item) || !item_lacks_mark_place(p, item))
		item_decide(item, STEP_UPDATE, REASON_WANTED);
}

static void item_decide_shared(const struct planning *p, struct plan_item *item)
{
	if (share_has_others(item->set))
		item_decide_part(p, item);
	else
		item_decide_owned(p, item);
}

static bool item_lacks_part_room(const struct planning *p, struct plan_item *item)
{
	size_t count = item->desired->rrset.count;
	char words[100];

	if (!item->desired->is_shared)
		return false;
	if (view_form(p->view)->is_same)
		return plan_refuse_because(item, REASON_NO_MARK,
		                           "the endpoint is shared, but an ownership "
		                           "mark of the form 'same' cannot mark shared "
		                           "names: set txt_form to 'typed'");
	if (count <= SHARE_RECORDS_MAX)
		return false;
	snprintf(words, sizeof(words),
	         "the ownership mark can list at most %d records of a shared name, not "
	         "%zu", SHARE_RECORDS_MAX, count);
	return plan_refuse_because(item, REASON_NO_MARK, words);
}

static bool is_too_long(const struct planning *p, struct plan_item *item)
{
	struct mark mark;

	if (!plan_writes_set(item))
		return false;
	size_t most = view_key(p->view) ? MARK_SEALED_MAX : MARK_TEXT_MAX;
	plan_mark(p->view, item, &mark);
	return mark_length(&mark) > most &&
	       plan_refuse_because(item, REASON_NO_MARK,
	                           "the ownership mark would be too long: choose a "
	                           "shorter resource name");
}

static void item_decide_desired(const struct planning *p, struct plan_item *item)
{
	switch (item->set->owner) {
	case OWNER_NONE:
		item_decide_unmanaged(p, item);
		return;
	case OWNER_US:
		item_decide_owned(p, item);
		return;
	case OWNER_VAGUE:
		plan_refuse(item, REASON_VAGUE_MARK);
		return;
	case OWNER_BAD:
		plan_refuse(item, REASON_BAD_MARK);
		return;
	case OWNER_CONTESTED:
		plan_refuse(item, REASON_CONTESTED);
		return;
	case OWNER_SHARED:
		item_decide_shared(p, item);
		return;
	case OWNER_OTHER:
		item_refuse_foreign(item);
		return;
	}
}

/*
 * If the delegation that hid it is ours only now, desired_resolve() did not know that:
 * the next round handles it.
 */
void plan_set_desired(const struct planning *p, struct plan_item *item)
{
	const char *fault;

	if (plan_is_out_of_bounds(p, item))
		return;
	fault = desired_fault(item->desired, p->view);
	if (fault) {
		plan_refuse_because(item, REASON_IMPOSSIBLE, fault);
		return;
	}
	if (item->desired->is_excluded) {
		plan_refuse(item, REASON_OCCLUDED);
		return;
	}
	if (item_lacks_part_room(p, item))
		return;
	item_decide_desired(p, item);
	is_too_long(p, item);
}

/* ---- a set that is not desired ---- */

static void item_decide_deletion(const struct planning *p, struct plan_item *item)
{
	item_decide(item, STEP_DELETE, REASON_UNWANTED);
	if (!share_has_others(item->set))
		return;
	item->becomes = share_merge(item->set, NULL, view_arena(p->view));
	if (item->becomes.count)
		item->step = STEP_LEAVE;
}

void plan_orphan(struct plan_item *item)
{
	item_decide(item, STEP_UNMARK, REASON_ORPHAN_MARK);
}

void plan_set_undesired(const struct planning *p, struct plan_item *item)
{
	if (plan_is_protected(p, item->node, item->type))
		plan_refuse(item, REASON_PROTECTED);
	else if (plan_is_filtered(p->rules, item->node))
		plan_refuse(item, REASON_FILTERED);
	else if (!view_set_exists(item->set))
		plan_orphan(item);
	else
		item_decide_deletion(p, item);
}
