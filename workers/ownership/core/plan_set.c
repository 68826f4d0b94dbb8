#include <stdio.h>
#include <string.h>

#include "core/plan_private.h"
#include "core/share.h"
#include "model/rr.h"

static const struct rrset *made_of(const struct node *node, uint16_t type)
{
	const struct known *known = node->user;
	const struct made *made = known ? known->made : NULL;

	while (made && made->is.type != type)
		made = made->next;
	return made ? &made->is : NULL;
}

static void decide(struct plan_item *item, enum plan_step step, enum plan_reason reason)
{
	item->step = step;
	item->reason = reason;
}

static void refuse_mark(struct plan_item *item, const char *words)
{
	plan_refuse(item, REASON_NO_MARK);
	snprintf(item->words, sizeof(item->words), "%.*s", (int)sizeof(item->words) - 1,
	         words);
}

static void refuse_anothers(struct plan_item *item)
{
	plan_refuse(item, plan_is_there(item->holding) ? REASON_FOREIGN
	                                               : REASON_FOREIGN_ORPHAN);
}

/* ---- may it be ours at all? ---- */

static bool is_managed(const struct plan_rules *rules, uint16_t type)
{
	for (size_t i = 0; i < rules->type_count; i++)
		if (rules->types[i] == type)
			return true;
	return false;
}

static bool is_below_any(const struct name *name, const struct name *zones, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (name_is_below(name, &zones[i]))
			return true;
	return false;
}

static bool is_filtered(const struct plan_rules *rules, const struct name *name)
{
	return (rules->within_count &&
	        !is_below_any(name, rules->within, rules->within_count)) ||
	       is_below_any(name, rules->without, rules->without_count);
}

static bool is_protected(const struct planning *p, const struct node *node, uint16_t type)
{
	return !is_managed(p->rules, type) || !mark_type_is_known(type) ||
	       (type == RR_NS && node->len == view_zone(p->view)->len);
}

static bool is_out_of_bounds(const struct planning *p, struct plan_item *item)
{
	struct name name;

	node_name(item->node, &name);
	if (is_protected(p, item->node, item->type))
		return plan_refuse(item, REASON_PROTECTED);
	if (is_filtered(p->rules, &name))
		return plan_refuse(item, REASON_FILTERED);
	if (view_is_hidden(p->view, &name, item->type))
		return plan_refuse(item, REASON_OCCLUDED);
	return false;
}

/* ---- beside what else at its name? ---- */

/* Of the two sets one is a CNAME, so that the other has to go. */
static bool is_either(const struct plan_item *item, const struct holding *other)
{
	return item->type == RR_CNAME || other->is.type == RR_CNAME;
}

static bool is_in_the_way(const struct planning *p, const struct plan_item *item,
                          const struct holding *other)
{
	if (is_either(item, other))
		return !plan_is_ours(p->view, other) || share_has_others(p->view, other);
	return !p->rules->by_set && is_managed(p->rules, other->is.type) &&
	       !plan_is_ours(p->view, other);
}

static const struct holding *other_at(const struct planning *p,
                                      const struct plan_item *item)
{
	const struct holding *other = item->node->holdings;

	while (other && (other->is.type == item->type || !other->is.count ||
	                 plan_is_signature(other->is.type) ||
	                 !is_in_the_way(p, item, other)))
		other = other->next;
	return other;
}

static bool is_crowded(const struct planning *p, struct plan_item *item)
{
	const struct holding *other = other_at(p, item);

	if (other && other->is.type == RR_CNAME)
		return plan_refuse(item, REASON_FOREIGN_CNAME);
	if (other || (item->type == RR_CNAME && item->node->marks.count))
		return plan_refuse(item, REASON_NAME_SHARED);
	return false;
}

/* ---- one set that is wanted ---- */

static void become(const struct planning *p, struct plan_item *item)
{
	item->becomes = rrset_copy(&item->wish->want, view_arena(p->view));
	if (!item->wish->has_ttl)
		item->becomes.ttl = plan_is_there(item->holding) ? item->holding->is.ttl
		                                            : p->rules->ttl;
}

static bool has_no_place_for_mark(const struct planning *p, struct plan_item *item)
{
	struct name mark;
	struct why why;

	if (!view_mark_name(p->view, item->node, item->type, &mark, &why))
		return false;
	refuse_mark(item, why.text);
	return true;
}

static void decide_creation(const struct planning *p, struct plan_item *item,
                            enum plan_reason reason)
{
	if (is_crowded(p, item) || has_no_place_for_mark(p, item))
		return;
	decide(item, STEP_CREATE, reason);
	become(p, item);
}

static bool is_as_wanted(const struct plan_item *item)
{
	const struct rrset *is = &item->holding->is;

	return rrset_same_records(is, &item->wish->want) &&
	       (!item->wish->has_ttl || item->wish->want.ttl == is->ttl);
}

static void decide_nobodys(const struct planning *p, struct plan_item *item)
{
	const struct rrset *made = made_of(item->node, item->type);

	if (!plan_is_there(item->holding)) {
		decide_creation(p, item, REASON_WANTED);
		return;
	}
	if (!made) {
		plan_refuse(item, is_as_wanted(item) ? REASON_UNMANAGED_EQUAL
		                                     : REASON_UNMANAGED);
		return;
	}
	plan_refuse(item, REASON_MARK_LOST);
	if (p->rules->reclaims && rrset_same_records(made, &item->holding->is) &&
	    !has_no_place_for_mark(p, item)) {
		item->step = STEP_UPDATE;
		become(p, item);
	}
}

static bool is_label(const struct mark *mark, const char *key, const char *value)
{
	const char *is = mark_get(mark, key);

	return value ? is && !strcmp(is, value) : !is;
}

/* Of a wish that shares. */
static const char *part_of(const struct planning *p, const struct plan_item *item)
{
	return share_part(&item->wish->want, view_arena(p->view));
}

static bool is_marked_right(const struct planning *p, const struct plan_item *item,
                            bool is_shared)
{
	const struct claim *claim = holding_claim(p->view, item->holding);

	return claim && is_label(claim->mark, "resource", item->wish->resource) &&
	       is_label(claim->mark, "shared", is_shared ? "true" : NULL) &&
	       is_label(claim->mark, "part", is_shared ? part_of(p, item) : NULL);
}

static bool has_drifted(const struct plan_item *item)
{
	const struct rrset *made = made_of(item->node, item->type);

	return made && !rrset_same_records(made, &item->holding->is);
}

static void decide_ours(const struct planning *p, struct plan_item *item)
{
	bool drifted = plan_is_there(item->holding) && has_drifted(item);

	if (!plan_is_there(item->holding)) {
		decide_creation(p, item, REASON_REPAIR);
		return;
	}
	if (is_as_wanted(item) && is_marked_right(p, item, item->wish->is_shared)) {
		decide(item, STEP_NONE, REASON_WANTED);
		return;
	}
	if (p->rules->policy == POLICY_CREATE_ONLY) {
		plan_refuse(item, REASON_POLICY);
		return;
	}
	decide(item, drifted && p->rules->keeps_drift ? STEP_NONE : STEP_UPDATE,
	       drifted ? REASON_DRIFT : REASON_WANTED);
	become(p, item);
}

static bool is_single(uint16_t type)
{
	return type == RR_CNAME || type == RR_DNAME;
}

/* Others have a part in it, and it stays shared as long as they do. */
static void decide_part(const struct planning *p, struct plan_item *item)
{
	bool joins = !holding_claim(p->view, item->holding);

	if (joins && !item->wish->is_shared) {
		refuse_anothers(item);
		return;
	}
	if (!plan_is_there(item->holding)) {
		decide_creation(p, item, joins ? REASON_WANTED : REASON_REPAIR);
		return;
	}
	item->becomes = share_becomes(p->view, item->holding, &item->wish->want);
	if (is_single(item->type) && item->becomes.count > 1) {
		plan_refuse(item, REASON_NAME_SHARED);
		return;
	}
	if (rrset_same_records(&item->becomes, &item->holding->is) &&
	    is_marked_right(p, item, true))
		decide(item, STEP_NONE, REASON_WANTED);
	else if (p->rules->policy == POLICY_CREATE_ONLY && !joins)
		plan_refuse(item, REASON_POLICY);
	else if (!joins || !has_no_place_for_mark(p, item))
		decide(item, STEP_UPDATE, REASON_WANTED);
}

static void decide_shared(const struct planning *p, struct plan_item *item)
{
	if (share_has_others(p->view, item->holding))
		decide_part(p, item);
	else
		decide_ours(p, item);
}

static bool has_room_for_part(const struct plan_item *item)
{
	return !item->wish->is_shared || item->wish->want.count <= SHARE_RECORDS_MAX;
}

void plan_set_wanted(const struct planning *p, struct plan_item *item)
{
	if (is_out_of_bounds(p, item))
		return;
	if (!has_room_for_part(item)) {
		refuse_mark(item, "its mark has no room for so many records of a name "
		            "that is shared");
		return;
	}
	switch (item->holding->whose) {
	case WHOSE_NOBODYS:
		decide_nobodys(p, item);
		return;
	case WHOSE_OURS:
		decide_ours(p, item);
		return;
	case WHOSE_BAD:
		plan_refuse(item, REASON_BAD_MARK);
		return;
	case WHOSE_CONTESTED:
		plan_refuse(item, REASON_CONTESTED);
		return;
	case WHOSE_SHARED:
		decide_shared(p, item);
		return;
	case WHOSE_ANOTHERS:
		refuse_anothers(item);
		return;
	}
}

/* ---- and one that is not ---- */

static void decide_departure(const struct planning *p, struct plan_item *item)
{
	decide(item, STEP_DELETE, REASON_UNWANTED);
	if (!share_has_others(p->view, item->holding))
		return;
	item->becomes = share_becomes(p->view, item->holding, NULL);
	if (item->becomes.count)
		item->step = STEP_LEAVE;
}

void plan_set_unwanted(const struct planning *p, struct plan_item *item)
{
	struct name name;

	node_name(item->node, &name);
	if (is_protected(p, item->node, item->type))
		plan_refuse(item, REASON_PROTECTED);
	else if (is_filtered(p->rules, &name))
		plan_refuse(item, REASON_FILTERED);
	else if (!plan_is_there(item->holding))
		decide(item, STEP_UNMARK, REASON_ORPHAN_MARK);
	else
		decide_departure(p, item);
}

