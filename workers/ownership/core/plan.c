#include "core/plan_private.h"

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

/* ---- what comes in ---- */

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

/* ---- items ---- */

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

bool plan_refuse(struct plan_item *item, enum plan_reason reason)
{
	item->step = STEP_NONE;
	item->reason = reason;
	return true;
}

bool plan_is_there(const struct holding *holding)
{
	return holding && holding->is.count;
}

bool plan_is_signature(uint16_t type)
{
	return type == RR_RRSIG || type == RR_NSEC;
}

bool plan_is_ours(const struct view *view, const struct holding *holding)
{
	return holding->whose == WHOSE_OURS ||
	       (holding->whose == WHOSE_SHARED && holding_claim(view, holding));
}

/* ---- all sets of a name ---- */

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
		group.creates_cname |= item->step == STEP_CREATE &&
		                       item->type == RR_CNAME;
		group.refuses |= item->wish && !item->wish->has_lost &&
		                 item->step == STEP_NONE && !plan_is_there(item->holding);
	}
	return group;
}

/* Another type takes its place. */
static bool is_replaced(const struct group *group, const struct plan_item *item)
{
	return plan_is_there(item->holding) &&
	       (group->creates_cname || (group->creates && item->type == RR_CNAME));
}

static void settle_deletion(const struct planning *p, const struct group *group,
                            struct plan_item *item)
{
	item->is_replaced = is_replaced(group, item);

	bool may = p->rules->policy == POLICY_SYNC ||
	           (p->rules->policy == POLICY_UPSERT_ONLY && item->is_replaced);
	if (group->refuses)
		plan_refuse(item, REASON_BLOCKED);
	else if (!may)
		plan_refuse(item, REASON_POLICY);
}

/* A set of ours that nobody wants, and that has to stay. */
static bool stays(const struct plan_item *item)
{
	return !item->wish && item->step == STEP_NONE && plan_is_there(item->holding);
}

/* True: it cannot come, for it would be a CNAME beside something, or meet one. */
static bool settle_creation(const struct group *group, struct plan_item *item)
{
	for (size_t i = 0; i < group->count; i++) {
		const struct plan_item *other = &group->items[i];

		if (stays(other) && (item->type == RR_CNAME || other->type == RR_CNAME))
			return plan_refuse(item, REASON_POLICY);
	}
	return false;
}

static bool is_deletion(enum plan_step step)
{
	return step == STEP_DELETE || step == STEP_LEAVE || step == STEP_UNMARK;
}

/* What does not come leaves what it was to replace. */
static void keep_replaced(const struct group *group)
{
	for (size_t i = 0; i < group->count; i++)
		if (is_deletion(group->items[i].step) && group->items[i].is_replaced)
			plan_refuse(&group->items[i], REASON_BLOCKED);
}

static void settle_group(const struct planning *p, size_t first)
{
	struct group group = group_from(p->plan, first);
	bool is_refused = false;

	for (size_t i = 0; i < group.count; i++)
		if (is_deletion(group.items[i].step))
			settle_deletion(p, &group, &group.items[i]);
	for (size_t i = 0; i < group.count; i++)
		if (group.items[i].step == STEP_CREATE)
			is_refused |= settle_creation(&group, &group.items[i]);
	if (is_refused)
		keep_replaced(&group);
}

static void plan_wishes(struct planning *p, struct node *node)
{
	const struct known *known = node->user;

	if (!known)
		return;
	wishes_resolve(known->wishes, p->view, node);
	for (const struct wish *wish = known->wishes; wish; wish = wish->next) {
		struct plan_item *item =
		    add_item(p, node, view_holding(p->view, node, wish->want.type), wish);

		if (wish->has_lost)
			plan_refuse(item, REASON_LOST_RESOLUTION);
		else
			plan_set_wanted(p, item);
	}
}

static void plan_others(struct planning *p, const struct node *node)
{
	const struct known *known = node->user;

	for (const struct holding *holding = node->holdings; holding;
	     holding = holding->next)
		if (plan_is_ours(p->view, holding) &&
		    !wish_of(known ? known->wishes : NULL, holding->is.type))
			plan_set_unwanted(p, add_item(p, node, holding, NULL));
}

static void plan_node(struct planning *p, struct node *node)
{
	size_t first = p->plan->count;

	plan_wishes(p, node);
	plan_others(p, node);
	settle_group(p, first);
	for (const struct holding *holding = node->holdings; holding;
	     holding = holding->next)
		p->plan->ours += plan_is_ours(p->view, holding) && holding->is.count;
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
	return (item->step == STEP_DELETE && !item->is_replaced) ||
	       item->step == STEP_LEAVE;
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
	for (struct node *node = view_first(view); node; node = node->next)
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
	const struct claim *claim = holding_claim(view, item->holding);
	bool is_shared = item->wish->is_shared ||
	                 (item->holding->whose == WHOSE_SHARED &&
	                  share_has_others(view, item->holding));

	*mark = claim ? *claim->mark : (struct mark){ 0 };
	mark_set(mark, "owner", ours);
	mark_set(mark, "resource", item->wish->resource);
	mark_set(mark, "shared", is_shared ? "true" : NULL);
	mark_set(mark, "part", is_shared ? share_part(&item->wish->want, view_arena(view))
	                                 : NULL);
}
