#include "core/plan.h"

#include <stdio.h>
#include <string.h>

#include "core/share.h"
#include "model/rr.h"

static const char *const step_names[STEP_COUNT] = {
	[STEP_NONE]   = "none",
	[STEP_CREATE] = "create",
	[STEP_UPDATE] = "update",
	[STEP_DELETE] = "delete",
	[STEP_LEAVE]  = "leave",
	[STEP_UNMARK] = "unmark",
};

static const char *const reason_names[REASON_COUNT] = {
	[REASON_WANTED]          = "WANTED",
	[REASON_UNWANTED]        = "UNWANTED",
	[REASON_REPAIR]          = "REPAIR",
	[REASON_DRIFT]           = "DRIFT",
	[REASON_ORPHAN_MARK]     = "ORPHAN_MARK",
	[REASON_MARK_LOST]       = "MARK_LOST",
	[REASON_UNMANAGED_EQUAL] = "UNMANAGED_EQUAL",
	[REASON_UNMANAGED]       = "UNMANAGED",
	[REASON_FOREIGN]         = "FOREIGN",
	[REASON_FOREIGN_ORPHAN]  = "FOREIGN_ORPHAN",
	[REASON_FOREIGN_CNAME]   = "FOREIGN_CNAME",
	[REASON_NAME_SHARED]     = "NAME_SHARED",
	[REASON_BAD_MARK]        = "BAD_MARK",
	[REASON_CONTESTED]       = "CONTESTED",
	[REASON_OCCLUDED]        = "OCCLUDED",
	[REASON_PROTECTED]       = "PROTECTED",
	[REASON_FILTERED]        = "FILTERED",
	[REASON_NO_MARK]         = "NO_MARK",
	[REASON_POLICY]          = "POLICY",
	[REASON_LOST_RESOLUTION] = "LOST_RESOLUTION",
	[REASON_BLOCKED]         = "BLOCKED",
};

const char *plan_step_name(enum plan_step step)
{
	return step_names[step];
}

const char *plan_reason_name(enum plan_reason reason)
{
	return reason_names[reason];
}

/* ---- what is known of a name besides what the zone has ---- */

struct made {
	struct made *next;
	struct rrset is;
};

struct known {
	struct wish *wishes;
	struct made *made;
};

static struct known *known_of(struct view *view, const struct name *name)
{
	struct node *node = view_node(view, name);

	if (!node->user)
		node->user = arena_alloc(view_arena(view), sizeof(struct known));
	return node->user;
}

void plan_want(struct view *view, const struct name *name, const struct wish *endpoint)
{
	wish_add(&known_of(view, name)->wishes, endpoint, view_arena(view));
}

void plan_made(struct view *view, const struct name *name, const struct rrset *set)
{
	struct known *known = known_of(view, name);
	struct made *made = arena_alloc(view_arena(view), sizeof(*made));

	*made = (struct made){ known->made, *set };
	known->made = made;
}

static const struct rrset *made_of(const struct node *node, uint16_t type)
{
	const struct known *known = node->user;
	const struct made *made = known ? known->made : NULL;

	while (made && made->is.type != type)
		made = made->next;
	return made ? &made->is : NULL;
}

/* ---- items ---- */

struct planning {
	struct view *view;
	const struct plan_rules *rules;
	struct plan *plan;
};

static struct plan_item *add_item(struct planning *p, const struct node *node,
                                  const struct holding *holding, const struct wish *wish)
{
	struct plan *plan = p->plan;
	struct plan_item *old = plan->items;

	if (plan->count == plan->size) {
		plan->size = plan->size ? 2 * plan->size : 64;
		plan->items = arena_alloc(view_arena(p->view), plan->size * sizeof(*old));
		if (old)
			memcpy(plan->items, old, plan->count * sizeof(*old));
	}
	plan->items[plan->count] = (struct plan_item){
		.node = node, .holding = holding, .wish = wish,
		.type = wish ? wish->want.type : holding->is.type,
	};
	return &plan->items[plan->count++];
}

static void decide(struct plan_item *item, enum plan_step step, enum plan_reason reason)
{
	item->step = step;
	item->reason = reason;
}

static bool refuse(struct plan_item *item, enum plan_reason reason)
{
	decide(item, STEP_NONE, reason);
	return true;
}

static void refuse_mark(struct plan_item *item, const char *words)
{
	refuse(item, REASON_NO_MARK);
	snprintf(item->words, sizeof(item->words), "%.*s", (int)sizeof(item->words) - 1,
	         words);
}

static bool is_there(const struct holding *holding)
{
	return holding && holding->is.count;
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
		return refuse(item, REASON_PROTECTED);
	if (is_filtered(p->rules, &name))
		return refuse(item, REASON_FILTERED);
	if (view_is_hidden(p->view, &name, item->type))
		return refuse(item, REASON_OCCLUDED);
	return false;
}

/* ---- beside what else at its name? ---- */

static bool is_signature(uint16_t type)
{
	return type == RR_RRSIG || type == RR_NSEC;
}

/* A set at the name that is not ours to take away. */
static const struct holding *other_at(const struct planning *p, const struct plan_item *item)
{
	const struct holding *other = item->node->holdings;

	for (; other; other = other->next) {
		if (other->is.type == item->type || !other->is.count ||
		    other->whose == WHOSE_OURS || is_signature(other->is.type))
			continue;
		if (item->type == RR_CNAME || other->is.type == RR_CNAME ||
		    (!p->rules->by_set && is_managed(p->rules, other->is.type)))
			return other;
	}
	return NULL;
}

static bool is_crowded(const struct planning *p, struct plan_item *item)
{
	const struct holding *other = other_at(p, item);

	if (other && other->is.type == RR_CNAME)
		return refuse(item, REASON_FOREIGN_CNAME);
	if (other || (item->type == RR_CNAME && item->node->marks.count))
		return refuse(item, REASON_NAME_SHARED);
	return false;
}

/* ---- one set that is wanted ---- */

static void become(struct planning *p, struct plan_item *item)
{
	item->becomes = rrset_copy(&item->wish->want, view_arena(p->view));
	if (!item->wish->has_ttl)
		item->becomes.ttl = is_there(item->holding) ? item->holding->is.ttl
		                                            : p->rules->ttl;
}

static void decide_creation(struct planning *p, struct plan_item *item,
                            enum plan_reason reason)
{
	struct name mark;
	struct why why;

	if (is_crowded(p, item))
		return;
	if (view_mark_name(p->view, item->node, item->type, &mark, &why)) {
		refuse_mark(item, why.text);
		return;
	}
	decide(item, STEP_CREATE, reason);
	become(p, item);
}

static bool is_as_wanted(const struct plan_item *item)
{
	const struct rrset *is = &item->holding->is;

	return rrset_same_records(is, &item->wish->want) &&
	       (!item->wish->has_ttl || item->wish->want.ttl == is->ttl);
}

static void decide_nobodys(struct planning *p, struct plan_item *item)
{
	const struct rrset *made = made_of(item->node, item->type);

	if (!is_there(item->holding)) {
		decide_creation(p, item, REASON_WANTED);
		return;
	}
	if (!made) {
		refuse(item, is_as_wanted(item) ? REASON_UNMANAGED_EQUAL : REASON_UNMANAGED);
		return;
	}
	refuse(item, REASON_MARK_LOST);
	if (p->rules->reclaims && rrset_same_records(made, &item->holding->is)) {
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

static void decide_ours(struct planning *p, struct plan_item *item)
{
	bool drifted = is_there(item->holding) && has_drifted(item);

	if (!is_there(item->holding)) {
		decide_creation(p, item, REASON_REPAIR);
		return;
	}
	if (is_as_wanted(item) && is_marked_right(p, item, item->wish->is_shared)) {
		decide(item, STEP_NONE, REASON_WANTED);
		return;
	}
	if (p->rules->policy == POLICY_CREATE_ONLY) {
		refuse(item, REASON_POLICY);
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
static void decide_part(struct planning *p, struct plan_item *item)
{
	bool joins = !holding_claim(p->view, item->holding);

	if (joins && !item->wish->is_shared) {
		refuse(item, is_there(item->holding) ? REASON_FOREIGN : REASON_FOREIGN_ORPHAN);
		return;
	}
	if (!is_there(item->holding)) {
		decide_creation(p, item, joins ? REASON_WANTED : REASON_REPAIR);
		return;
	}
	item->becomes = share_becomes(p->view, item->holding, &item->wish->want);
	if (is_single(item->type) && item->becomes.count > 1) {
		refuse(item, REASON_NAME_SHARED);
		return;
	}
	if (rrset_same_records(&item->becomes, &item->holding->is) &&
	    is_marked_right(p, item, true))
		decide(item, STEP_NONE, REASON_WANTED);
	else if (p->rules->policy == POLICY_CREATE_ONLY && !joins)
		refuse(item, REASON_POLICY);
	else
		decide(item, STEP_UPDATE, REASON_WANTED);
}

static void decide_shared(struct planning *p, struct plan_item *item)
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

static void decide_wanted(struct planning *p, struct plan_item *item)
{
	enum whose whose = item->holding ? item->holding->whose : WHOSE_NOBODYS;

	if (is_out_of_bounds(p, item))
		return;
	if (!has_room_for_part(item)) {
		refuse_mark(item, "its mark has no room for so many records of a shared name");
		return;
	}
	switch (whose) {
	case WHOSE_NOBODYS:
		decide_nobodys(p, item);
		return;
	case WHOSE_OURS:
		decide_ours(p, item);
		return;
	case WHOSE_BAD:
		refuse(item, REASON_BAD_MARK);
		return;
	case WHOSE_CONTESTED:
		refuse(item, REASON_CONTESTED);
		return;
	case WHOSE_SHARED:
		decide_shared(p, item);
		return;
	case WHOSE_ANOTHERS:
		refuse(item, is_there(item->holding) ? REASON_FOREIGN : REASON_FOREIGN_ORPHAN);
		return;
	}
}

/* ---- and one that is not ---- */

static void decide_departure(struct planning *p, struct plan_item *item)
{
	decide(item, STEP_DELETE, REASON_UNWANTED);
	if (!share_has_others(p->view, item->holding))
		return;
	item->becomes = share_becomes(p->view, item->holding, NULL);
	if (item->becomes.count)
		item->step = STEP_LEAVE;
}

static void decide_unwanted(struct planning *p, struct plan_item *item)
{
	struct name name;

	node_name(item->node, &name);
	if (is_protected(p, item->node, item->type))
		refuse(item, REASON_PROTECTED);
	else if (is_filtered(p->rules, &name))
		refuse(item, REASON_FILTERED);
	else if (!is_there(item->holding))
		decide(item, STEP_UNMARK, REASON_ORPHAN_MARK);
	else
		decide_departure(p, item);
}

/* ---- all sets of a name ---- */

/* Also if others share it. */
static bool is_ours(const struct planning *p, const struct holding *holding)
{
	return holding->whose == WHOSE_OURS ||
	       (holding->whose == WHOSE_SHARED && holding_claim(p->view, holding));
}

/* The items of one name. */
struct group {
	struct plan_item *items;
	size_t count;
	bool creates, creates_cname, refuses;
};

static struct group group_from(const struct plan *plan, size_t first)
{
	struct group group = { &plan->items[first], plan->count - first };

	for (size_t i = 0; i < group.count; i++) {
		const struct plan_item *item = &group.items[i];

		group.creates |= item->step == STEP_CREATE;
		group.creates_cname |= item->step == STEP_CREATE && item->type == RR_CNAME;
		group.refuses |= item->wish && !item->wish->has_lost &&
		                 item->step == STEP_NONE && !is_there(item->holding);
	}
	return group;
}

/* Another type takes its place. */
static bool is_replaced(const struct group *group, const struct plan_item *item)
{
	return is_there(item->holding) &&
	       (group->creates_cname || (group->creates && item->type == RR_CNAME));
}

static void settle_deletion(const struct planning *p, const struct group *group,
                            struct plan_item *item)
{
	item->is_replaced = is_replaced(group, item);

	bool may = p->rules->policy == POLICY_SYNC ||
	           (p->rules->policy == POLICY_UPSERT_ONLY && item->is_replaced);
	if (group->refuses)
		refuse(item, REASON_BLOCKED);
	else if (!may)
		refuse(item, REASON_POLICY);
}

/* What cannot come while something else stays does not. */
static void settle_creation(const struct group *group, struct plan_item *item)
{
	for (size_t i = 0; i < group->count; i++) {
		const struct plan_item *other = &group->items[i];

		if (other == item || !is_there(other->holding) ||
		    other->step == STEP_DELETE || is_signature(other->type))
			continue;
		if (item->type == RR_CNAME || other->type == RR_CNAME)
			refuse(item, REASON_POLICY);
	}
}

static bool is_deletion(enum plan_step step)
{
	return step == STEP_DELETE || step == STEP_LEAVE || step == STEP_UNMARK;
}

static void settle_group(const struct planning *p, size_t first)
{
	struct group group = group_from(p->plan, first);

	for (size_t i = 0; i < group.count; i++)
		if (is_deletion(group.items[i].step))
			settle_deletion(p, &group, &group.items[i]);
	for (size_t i = 0; i < group.count; i++)
		if (group.items[i].step == STEP_CREATE)
			settle_creation(&group, &group.items[i]);
}

static void plan_wishes(struct planning *p, const struct node *node)
{
	const struct known *known = node->user;

	if (!known)
		return;
	wishes_resolve(known->wishes, p->view, node);
	for (const struct wish *wish = known->wishes; wish; wish = wish->next) {
		struct plan_item *item =
		    add_item(p, node, node_holding(node, wish->want.type), wish);

		if (wish->has_lost)
			refuse(item, REASON_LOST_RESOLUTION);
		else
			decide_wanted(p, item);
	}
}

static void plan_others(struct planning *p, const struct node *node)
{
	const struct known *known = node->user;

	for (const struct holding *holding = node->holdings; holding; holding = holding->next)
		if (is_ours(p, holding) &&
		    !wish_of(known ? known->wishes : NULL, holding->is.type))
			decide_unwanted(p, add_item(p, node, holding, NULL));
}

static void plan_node(struct planning *p, const struct node *node)
{
	size_t first = p->plan->count;

	plan_wishes(p, node);
	plan_others(p, node);
	settle_group(p, first);
	for (const struct holding *holding = node->holdings; holding; holding = holding->next)
		p->plan->ours += is_ours(p, holding) && holding->is.count;
}

size_t plan_group_end(const struct plan *plan, size_t first)
{
	size_t end = first;

	while (end < plan->count && plan->items[end].node == plan->items[first].node)
		end++;
	return end;
}

/* ---- is it too much? ---- */

static bool loses(const struct plan_item *item)
{
	return (item->step == STEP_DELETE && !item->is_replaced) || item->step == STEP_LEAVE;
}

static bool goes(const struct plan_item *item)
{
	return loses(item) || item->step == STEP_UNMARK;
}

static bool loses_a_record(const struct rrset *is, const struct rrset *becomes)
{
	for (size_t i = 0; i < is->count; i++)
		if (!rrset_has(becomes, is->records[i]))
			return true;
	return false;
}

/* A mark or a TTL that changes takes nothing away, nor does a record that comes. */
static bool changes(const struct plan_item *item)
{
	return item->is_replaced ||
	       (item->step == STEP_UPDATE &&
	        loses_a_record(&item->holding->is, &item->becomes));
}

static size_t count_of(const struct plan *plan, bool (*is)(const struct plan_item *))
{
	size_t count = 0;

	for (size_t i = 0; i < plan->count; i++)
		count += is(&plan->items[i]);
	return count;
}

static bool is_too_much(const struct plan *plan, const struct plan_rules *rules,
                        size_t count, unsigned percent)
{
	return plan->ours >= rules->min_records && 100 * count > percent * plan->ours;
}

static void hold_group(struct plan *plan, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		struct plan_item *item = &plan->items[i];

		plan->held += item->step != STEP_NONE && !item->is_held;
		item->is_held = item->step != STEP_NONE;
	}
}

/* With all that belongs together. */
static void hold(struct plan *plan, bool (*is)(const struct plan_item *))
{
	for (size_t first = 0, end; first < plan->count; first = end) {
		bool any = false;

		end = plan_group_end(plan, first);
		for (size_t i = first; i < end; i++)
			any = any || is(&plan->items[i]);
		if (any)
			hold_group(plan, first, end);
	}
}

static void count_items(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		plan->steps[plan->items[i].step]++;
		plan->reasons[plan->items[i].reason]++;
	}
}

void plan_make(struct view *view, const struct plan_rules *rules, bool is_complete,
               struct plan *plan)
{
	struct planning p = { view, rules, plan };

	*plan = (struct plan){ 0 };
	for (const struct node *node = view_first(view); node; node = node->next)
		plan_node(&p, node);
	count_items(plan);
	if (!is_complete ||
	    is_too_much(plan, rules, count_of(plan, loses), rules->max_delete_pct))
		hold(plan, goes);
	if (is_too_much(plan, rules, count_of(plan, changes), rules->max_update_pct))
		hold(plan, changes);
}

void plan_mark(struct view *view, const struct plan_item *item, const char *ours,
               struct mark *mark)
{
	const struct claim *claim = item->holding ? holding_claim(view, item->holding) : NULL;
	bool is_shared = item->wish->is_shared ||
	                 (item->holding && item->holding->whose == WHOSE_SHARED &&
	                  share_has_others(view, item->holding));

	*mark = claim ? *claim->mark : (struct mark){ 0 };
	mark_set(mark, "owner", ours);
	mark_set(mark, "resource", item->wish->resource);
	mark_set(mark, "shared", is_shared ? "true" : NULL);
	mark_set(mark, "part", is_shared ? share_part(&item->wish->want, view_arena(view))
	                                 : NULL);
}
