#include "core/plan_private.h"

#include <string.h>

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
	[REASON_ADOPTED]         = "ADOPTED",
	[REASON_RELEASED]        = "RELEASED",
	[REASON_GIVEN]           = "GIVEN",
	[REASON_UNMANAGED_EQUAL] = "UNMANAGED_EQUAL",
	[REASON_UNMANAGED]       = "UNMANAGED",
	[REASON_FOREIGN]         = "FOREIGN",
	[REASON_FOREIGN_ORPHAN]  = "FOREIGN_ORPHAN",
	[REASON_FOREIGN_CNAME]   = "FOREIGN_CNAME",
	[REASON_NAME_SHARED]     = "NAME_SHARED",
	[REASON_BAD_MARK]        = "BAD_MARK",
	[REASON_CONTESTED]       = "CONTESTED",
	[REASON_VAGUE_MARK]      = "VAGUE_MARK",
	[REASON_OCCLUDED]        = "OCCLUDED",
	[REASON_HIDES]           = "HIDES",
	[REASON_IMPOSSIBLE]      = "IMPOSSIBLE",
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

/* ---- inputs ---- */

void plan_add_endpoint(struct view *view, const struct name *name,
                       const struct desired *endpoint)
{
	struct plan_inputs *inputs = plan_inputs_of(view, name);
	struct desired *old = inputs->endpoints;

	if (inputs->count == inputs->size) {
		inputs->size = inputs->size ? 2 * inputs->size : 1;
		inputs->endpoints = arena_alloc(view_arena(view),
		                                inputs->size * sizeof(*old));
		if (old)
			memcpy(inputs->endpoints, old, inputs->count * sizeof(*old));
	}
	inputs->endpoints[inputs->count] = *endpoint;
	inputs->endpoints[inputs->count++].rrset = rrset_copy(&endpoint->rrset,
	                                                      view_arena(view));
}

void plan_add_owned(struct view *view, const struct name *name, const struct rrset *set)
{
	struct plan_inputs *inputs = plan_inputs_of(view, name);
	struct owned_set *owned = arena_alloc(view_arena(view), sizeof(*owned));

	*owned = (struct owned_set){ inputs->owned, rrset_copy(set, view_arena(view)) };
	rrset_sort(&owned->rrset);
	inputs->owned = owned;
}

/* ---- items ---- */

static struct plan_item *plan_add_item(struct planning *p, const struct node *node,
                                       const struct view_set *set,
                                       const struct desired *desired)
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
		.node = node, .set = set, .desired = desired,
		.type = desired ? desired->rrset.type : set->rrset.type,
	};
	return &plan->items[plan->count++];
}

/* ---- all sets of a name ---- */

/* The items of one name. */
struct group {
	struct plan_item *items;
	size_t count;
	bool creates, creates_alone, refuses;
};

static struct group plan_group_from(const struct plan *plan, size_t first)
{
	struct group group = { &plan->items[first], plan->count - first };

	for (size_t i = 0; i < group.count; i++) {
		const struct plan_item *item = &group.items[i];

		group.creates |= item->step == STEP_CREATE;
		group.creates_alone |= item->step == STEP_CREATE &&
		                       (item->type == RR_CNAME || item->type == RR_NS);
		group.refuses |= item->step == STEP_NONE &&
		                 item->desired && !item->desired->has_lost &&
		                 !view_set_exists(item->set);
	}
	return group;
}

/* True: a set of another type replaces it. */
static bool group_replaces(const struct group *group, const struct plan_item *item)
{
	return view_set_exists(item->set) &&
	       (group->creates_alone || (group->creates && item->type == RR_CNAME));
}

static void group_check_deletion(const struct planning *p, const struct group *group,
                                 struct plan_item *item)
{
	item->is_replaced = group_replaces(group, item);

	bool may = p->rules->policy == POLICY_SYNC ||
	           (p->rules->policy == POLICY_UPSERT_ONLY && item->is_replaced);
	if (group->refuses)
		plan_refuse(item, REASON_BLOCKED);
	else if (!may)
		plan_refuse(item, REASON_POLICY);
}

/* True: the set exists and must stay. */
static bool item_stays(const struct plan_item *item)
{
	return (item->step == STEP_NONE || item->order) &&
	       view_set_exists(item->set) &&
	       !(item->desired && item->desired->has_lost);
}

static bool plan_is_glue(uint16_t type)
{
	return type == RR_A || type == RR_AAAA;
}

static bool item_has_mark_below(const struct plan_item *item)
{
	struct name name, place;

	node_name(item->node, &name);
	for (const struct claim *claim = item->set->claims; claim;
	     claim = claim->next) {
		if (!claim->by->node || claim->by->node == item->node)
			continue;
		node_name(claim->by->node, &place);
		if (name_is_below(&place, &name))
			return true;
	}
	return false;
}

/* True: its mark would be below its name, where a delegation or DNAME would hide it. */
static bool item_is_marked_below(const struct planning *p, const struct plan_item *item)
{
	struct name name, place;

	if (!plan_writes_set(item))
		return item_stays(item) && item_has_mark_below(item);
	node_name(item->node, &name);
	plan_place(p->view, item, &place);
	return place.len > name.len && name_is_below(&place, &name);
}

/* True: the new set at its name would hide the item or its mark. */
static bool item_is_hidden_by(const struct planning *p, const struct plan_item *comes,
                              const struct plan_item *item)
{
	if (comes == item || (comes->type != RR_NS && comes->type != RR_DNAME))
		return false;
	return item_is_marked_below(p, item) ||
	       (comes->type == RR_NS && !plan_is_glue(item->type) &&
	        (plan_writes_set(item) || item_stays(item)));
}

static bool item_meets_cname(const struct plan_item *comes, const struct plan_item *item)
{
	return item_stays(item) && (comes->type == RR_CNAME || item->type == RR_CNAME);
}

/*
 * True: the set cannot be created, because a CNAME must be alone or a delegation hides
 * it.
 */
static bool group_check_creation(const struct planning *p, const struct group *group,
                                 struct plan_item *item)
{
	for (size_t i = 0; i < group->count; i++) {
		const struct plan_item *other = &group->items[i];
		bool is_hidden = item_is_hidden_by(p, item, other);

		if (!is_hidden && !item_meets_cname(item, other))
			continue;
		if (other->reason == REASON_POLICY)
			return plan_refuse(item, REASON_POLICY);
		return plan_refuse(item, is_hidden ? REASON_HIDES : REASON_BLOCKED);
	}
	return false;
}

static bool step_is_deletion(enum plan_step step)
{
	return step == STEP_DELETE || step == STEP_LEAVE || step == STEP_UNMARK;
}

/*
 * If a set cannot be created, the set that it would replace stays, unless another one
 * replaces it.
 */
static void group_keep_replaced(const struct group *group)
{
	for (size_t i = 0; i < group->count; i++) {
		struct plan_item *item = &group->items[i];

		if (!step_is_deletion(item->step) || !item->is_replaced)
			continue;
		item->is_replaced = group_replaces(group, item);
		if (!item->is_replaced)
			plan_refuse(item, REASON_BLOCKED);
	}
}

static void group_settle(const struct planning *p, size_t first)
{
	struct group group = plan_group_from(p->plan, first);
	bool is_refused = false;

	for (size_t i = 0; i < group.count; i++)
		if (step_is_deletion(group.items[i].step) && !group.items[i].order)
			group_check_deletion(p, &group, &group.items[i]);
	for (size_t i = 0; i < group.count; i++)
		if (group.items[i].step == STEP_CREATE)
			is_refused |= group_check_creation(p, &group, &group.items[i]);
	group = plan_group_from(p->plan, first);
	if (is_refused)
		group_keep_replaced(&group);
}

/* ---- names ---- */

/*
 * Merges all endpoints before any name is planned, because the result for a name depends
 * on other names.
 */
static void plan_merge_endpoints(struct planning *p, struct node *node)
{
	struct plan_inputs *inputs = node->user;

	if (!inputs)
		return;
	inputs->desired =
	    desired_merge(inputs->endpoints, inputs->count, view_arena(p->view));
	for (struct desired *desired = inputs->desired; desired;
	     desired = desired->next) {
		struct plan_item item = { .node = node, .type = desired->rrset.type };

		desired->is_excluded = plan_is_out_of_bounds(p, &item) ||
		                       desired_fault(desired, p->view);
		p->delegates |= desired->rrset.type == RR_NS ||
		                desired->rrset.type == RR_DNAME;
	}
	desired_resolve(inputs->desired, node);
}

/*
 * The desired set. A set whose type cannot have a mark is only added if it exists, so
 * that a name has few sets whatever is desired.
 */
static const struct view_set *plan_set_for(struct view *view, struct node *node,
                                           uint16_t type)
{
	static const struct view_set none;
	const struct view_set *set = node_find_set(node, type);

	if (set || !mark_type_is_known(type))
		return set ? set : &none;
	return view_add_set(view, node, type);
}

static bool set_is_as_known(const struct node *node, const struct view_set *set,
                            const struct desired *desired)
{
	return plan_owned_set(node, set->rrset.type) ||
	       (desired && rrset_same_records(&desired->rrset, &set->rrset));
}

/*
 * Assigns our untyped marks. Such a mark is for a set that we are known to own, or that
 * is as desired, or that is desired and missing. The same is true of an ambiguous mark.
 * But a mark that may be for an existing set is not used for a missing one.
 */
static void plan_resolve_vague(struct view *view, struct node *node)
{
	const struct plan_inputs *inputs = node->user;

	for (const struct desired *desired = inputs ? inputs->desired : NULL; desired;
	     desired = desired->next)
		plan_set_for(view, node, desired->rrset.type);
	for (struct view_set *set = node->sets; set; set = set->next) {
		uint16_t type = set->rrset.type;
		const struct desired *desired =
		    desired_of(inputs ? inputs->desired : NULL, type);

		set->is_wanted = desired;
		if (set->owner == OWNER_VAGUE &&
		    (set->rrset.count ? set_is_as_known(node, set, desired)
		                      : desired && !set->ours->is_ambiguous))
			set->owner = OWNER_US;
	}
}

static void plan_desired_sets(struct planning *p, struct node *node)
{
	const struct plan_inputs *inputs = node->user;

	for (const struct desired *desired = inputs ? inputs->desired : NULL; desired;
	     desired = desired->next) {
		struct plan_item *item =
		       plan_add_item(p, node,
		                     plan_set_for(p->view, node, desired->rrset.type),
		                     desired);

		if (desired->has_lost)
			plan_refuse(item, REASON_LOST_RESOLUTION);
		else if (!plan_follow_order(p, item))
			plan_set_desired(p, item);
	}
}

static void plan_owned_sets(struct planning *p, const struct node *node)
{
	const struct plan_inputs *inputs = node->user;

	for (const struct view_set *set = node->sets; set;
	     set = set->next) {
		struct plan_item *item;

		if (!plan_is_ours(set) ||
		    desired_of(inputs ? inputs->desired : NULL, set->rrset.type))
			continue;
		item = plan_add_item(p, node, set, NULL);
		if (!plan_follow_order(p, item))
			plan_set_undesired(p, item);
	}
}

static bool plan_has_step_from(const struct plan *plan, size_t first)
{
	for (size_t i = first; i < plan->count; i++)
		if (plan->items[i].step != STEP_NONE)
			return true;
	return false;
}

static bool node_has_set_of_mark(const struct node *node, const struct marking *marking)
{
	for (const struct view_set *set = node->sets; set;
	     set = set->next)
		if (set->owner == OWNER_CONTESTED ||
		    (set->rrset.count && (set->owner == OWNER_VAGUE ||
		                          set->ours == marking)))
			return true;
	return false;
}

static bool node_has_orphan_mark(const struct view *view, const struct node *node)
{
	for (const struct claim *vague = node->untyped; vague; vague = vague->next)
		if (!node_has_set_of_mark(node, vague->by) &&
		    !view_is_needed(view, vague->by, node, false))
			return true;
	return false;
}

/*
 * Handles our untyped marks without a set; marks at a name with a step go together with
 * that step.
 */
static void plan_vague_orphans(struct planning *p, struct node *node, size_t first)
{
	static const struct view_set nothing = { .rrset.type = RR_TXT };
	struct plan_item *item;

	if (plan_has_step_from(p->plan, first) || !node_has_orphan_mark(p->view, node))
		return;
	item = plan_add_item(p, node, &nothing, NULL);
	if (plan_is_filtered(p->rules, node))
		plan_refuse(item, REASON_FILTERED);
	else
		plan_orphan(item);
}

static void plan_node(struct planning *p, struct node *node)
{
	size_t first = p->plan->count;

	plan_desired_sets(p, node);
	plan_owned_sets(p, node);
	plan_vague_orphans(p, node, first);
	group_settle(p, first);
}

/* ---- what a delegation would hide ---- */

/* Counts the marks at PLACE of sets at NODE that only we own. */
static size_t node_count_marks(const struct node *node, const struct node *place)
{
	size_t count = 0;

	for (const struct view_set *set = node->sets; set;
	     set = set->next)
		for (const struct claim *claim = set->claims; claim;
		     claim = claim->next)
			count += claim->by->node == place && claim->by->is_ours &&
			         !claim->by->is_ambiguous &&
			         set->owner == OWNER_US;
	return count;
}

/*
 * True: a delegation must not hide NODE. group_check_creation() decides about the sets
 * and marks of ABOVE itself.
 */
static bool node_must_be_visible(const struct node *node, const struct node *above)
{
	for (const struct view_set *set = node->sets; set;
	     set = set->next)
		if (set->rrset.count &&
		    !(plan_is_ours(set) && plan_is_glue(set->rrset.type)))
			return true;
	return node->marks.count > node_count_marks(above, node);
}

static void plan_note_names_above(struct planning *p, const struct node *node)
{
	struct name name;

	node_name(node, &name);
	while (name_parent(&name, &name) && name.len > view_zone(p->view)->len) {
		const struct node *above = view_find(p->view, &name);
		struct plan_inputs *inputs = above ? above->user : NULL;

		if (inputs && node_must_be_visible(node, above))
			inputs->hides_names = true;
	}
}

static void plan_find_hidden_names(struct planning *p)
{
	for (struct node *node = view_first(p->view); node; node = node->next)
		plan_note_names_above(p, node);
}

size_t plan_group_end(const struct plan *plan, size_t first)
{
	size_t end = first;

	while (end < plan->count && plan->items[end].node == plan->items[first].node)
		end++;
	return end;
}

/* ---- limits ---- */

static bool item_loses(const struct plan_item *item)
{
	return (item->step == STEP_DELETE && !item->is_replaced) ||
	       item->step == STEP_LEAVE;
}

static bool item_goes(const struct plan_item *item)
{
	return item_loses(item) || (item->step == STEP_UNMARK && !item->order);
}

static bool rrset_loses_record(const struct rrset *is, const struct rrset *becomes)
{
	for (size_t i = 0; i < is->count; i++)
		if (!rrset_has(becomes, is->records[i]))
			return true;
	return false;
}

static bool item_changes_resource(const struct plan_item *item)
{
	const char *was = view_set_resource(item->set);

	return item->step == STEP_UPDATE && !item->order && was &&
	       strcmp(was, item->desired->resource);
}

/* True: records are lost. A changed mark or TTL, or a new record, does not count. */
static bool item_changes_records(const struct plan_item *item)
{
	return item->is_replaced ||
	       (item->step == STEP_UPDATE &&
	        rrset_loses_record(&item->set->rrset, &item->becomes));
}

static bool item_is_at_risk(const struct plan_item *item)
{
	return item_goes(item) || item_changes_records(item) ||
	       item_changes_resource(item);
}

static size_t plan_count(const struct plan *plan, bool (*is)(const struct plan_item *))
{
	size_t count = 0;

	for (size_t i = 0; i < plan->count; i++)
		count += is(&plan->items[i]);
	return count;
}

static bool plan_exceeds(const struct plan *plan, const struct plan_rules *rules,
                         size_t count, unsigned percent)
{
	return plan->ours >= rules->min_records && 100 * count > percent * plan->ours;
}

static void plan_hold_group(struct plan *plan, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		struct plan_item *item = &plan->items[i];

		plan->held += item->step != STEP_NONE && !item->is_held;
		item->is_held = item->step != STEP_NONE;
	}
}

/* Holds these items and all items that belong to them. */
static void plan_hold(struct plan *plan, bool (*is)(const struct plan_item *))
{
	for (size_t first = 0, end; first < plan->count; first = end) {
		bool any = false;

		end = plan_group_end(plan, first);
		for (size_t i = first; i < end; i++)
			any = any || is(&plan->items[i]);
		if (any)
			plan_hold_group(plan, first, end);
	}
}

void plan_hold_incomplete(struct plan *plan,
                          bool (*is_sure)(void *self, const char *resource), void *self)
{
	for (size_t first = 0, end; first < plan->count; first = end) {
		bool any = false;

		end = plan_group_end(plan, first);
		for (size_t i = first; i < end; i++)
			any = any || (item_is_at_risk(&plan->items[i]) &&
			              !is_sure(self,
			                       view_set_resource(plan->items[i].set)));
		if (any)
			plan_hold_group(plan, first, end);
	}
}

static bool item_is_managed(const struct plan_item *item)
{
	return view_set_exists(item->set) && plan_is_ours(item->set) &&
	       !(item->desired && item->desired->has_lost) &&
	       item->reason != REASON_PROTECTED && item->reason != REASON_FILTERED;
}

static void plan_count_items(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		plan->steps[plan->items[i].step]++;
		plan->reasons[plan->items[i].reason]++;
		plan->ours += item_is_managed(&plan->items[i]);
	}
}

void plan_make(struct view *view, const struct plan_rules *rules, bool is_complete,
               struct plan *plan)
{
	struct planning p = { view, rules, plan };

	*plan = (struct plan){ 0 };
	for (struct node *node = view_first(view); node; node = node->next)
		plan_merge_endpoints(&p, node);
	for (struct node *node = view_first(view); node; node = node->next)
		plan_resolve_vague(view, node);
	if (p.delegates)
		plan_find_hidden_names(&p);
	for (struct node *node = view_first(view); node; node = node->next)
		plan_node(&p, node);
	plan_count_items(plan);
	if (!is_complete)
		plan_hold(plan, item_is_at_risk);
	if (plan_exceeds(plan, rules, plan_count(plan, item_loses),
	                 rules->max_delete_pct))
		plan_hold(plan, item_goes);
	if (plan_exceeds(plan, rules, plan_count(plan, item_changes_records),
	                 rules->max_update_pct))
		plan_hold(plan, item_changes_records);
}
