/*
 * plan -- the changes that give a zone its desired record sets and touch no set of other
 * owners (seed 001, "Plan"). Pure: for each set without a change it has a reason.
 *
 * The plan judges each set by its records, its owner and the desired set. Then it judges
 * all sets of a name together, because a CNAME stands alone: a change of type happens in
 * one step or not at all, and the present set stays while the desired one is impossible.
 *
 * Items of one name are neighbours and belong into one message.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/view.h"
#include "core/desired.h"

enum plan_policy { POLICY_SYNC, POLICY_UPSERT_ONLY, POLICY_CREATE_ONLY };

enum plan_step {
	STEP_NONE,
	STEP_CREATE,			/* the set and its mark */
	STEP_UPDATE,			/* the set, its mark, or both */
	STEP_DELETE,			/* the set and its mark */
	STEP_LEAVE,			/* our part of a shared set, and our mark */
	STEP_UNMARK,			/* the mark of a set that is not there */
	STEP_COUNT
};

enum plan_reason {
	REASON_WANTED,			/* the set is as desired, or will be */
	REASON_UNWANTED,
	REASON_REPAIR,			/* the set is gone, its mark is ours */
	REASON_DRIFT,			/* another program changed it */
	REASON_ORPHAN_MARK,
	REASON_MARK_LOST,		/* another program removed our mark */
	REASON_ADOPTED,			/* an order; the next two also */
	REASON_RELEASED,
	REASON_GIVEN,
	/* from here on there is no change */
	REASON_UNMANAGED_EQUAL,		/* as desired, without owner */
	REASON_UNMANAGED,
	REASON_FOREIGN,
	REASON_FOREIGN_ORPHAN,		/* a mark of another owner, without its set */
	REASON_FOREIGN_CNAME,
	REASON_NAME_SHARED,		/* the name has sets of another owner */
	REASON_BAD_MARK,
	REASON_CONTESTED,
	REASON_VAGUE_MARK,		/* our mark may be for another set */
	REASON_OCCLUDED,		/* below a delegation or DNAME */
	REASON_HIDES,			/* a delegation or DNAME that would hide sets */
	REASON_IMPOSSIBLE,		/* no zone can have the desired set */
	REASON_PROTECTED,		/* of a type that is not managed */
	REASON_FILTERED,		/* outside domain_filter */
	REASON_NO_MARK,			/* there is no place for its mark */
	REASON_POLICY,
	REASON_LOST_RESOLUTION,
	REASON_BLOCKED,			/* the set that replaces it is impossible */
	REASON_COUNT
};
const char *plan_step_name(enum plan_step step);		/* "create" */
const char *plan_reason_name(enum plan_reason reason);		/* "UNMANAGED_EQUAL" */

enum { PLAN_TYPES_MAX = 16 };

struct plan_rules {
	enum plan_policy policy;
	uint16_t types[PLAN_TYPES_MAX];	/* managed_types */
	size_t type_count;
	const struct name *within, *without;	/* names; no within: all names */
	size_t within_count, without_count;
	bool by_set;			/* ownership_scope is rrset */
	bool keeps_drift;
	bool reclaims;			/* marks unchanged sets again */
	uint32_t ttl;			/* of an endpoint without TTL */
	unsigned max_delete_pct, max_update_pct;	/* of the owned sets */
	size_t min_records;		/* fewer owned sets: no limit applies */
};

struct plan_item {
	const struct node *node;
	uint16_t type;
	enum plan_step step;
	enum plan_reason reason;
	struct plan_order *order;	/* that the item follows, or NULL */
	bool is_replaced;		/* DELETE: a set of another type replaces it */
	bool is_held;
	const struct view_set *set;	/* perhaps of no records */
	const struct desired *desired;	/* NULL: not desired */
	struct rrset becomes;		/* of CREATE, UPDATE and LEAVE */
	char detail[120];		/* of NO_MARK and IMPOSSIBLE */
};

struct plan {
	struct plan_item *items;
	size_t count, size;
	size_t ours;			/* existing owned sets that are managed */
	size_t steps[STEP_COUNT], reasons[REASON_COUNT], held;
};

/* The end of the items from FIRST on that have one name. */
size_t plan_group_end(const struct plan *plan, size_t first);

/* An order changes marks; records stay as they are. */
enum plan_order_kind {
	ORDER_ADOPT,			/* a desired set without owner gets our mark */
	ORDER_RELEASE,			/* a set of ours loses its mark */
	ORDER_TRANSFER,			/* a set of ours gets the mark of another owner */
};

struct plan_order {
	enum plan_order_kind kind;
	uint16_t type;			/* of the sets that it is for; 0: of all */
	const char *resource;		/* of their resource; NULL: any */
	const struct rrset *expected;	/* ADOPT: what must be there, sorted; NULL:
					   what is wanted */
	const char *to;			/* GIVE: the other owner's id */
	bool is_dry;			/* plan only */
	size_t waiting;			/* output: sets that an older order
					   order has first */
};

/* ORDER is for the sets of NAME and is borrowed. Add the oldest first. */
void plan_order(struct view *view, const struct name *name, struct plan_order *order);
/* Texts and octets of ENDPOINT are borrowed. The view is settled. */
void plan_add_endpoint(struct view *view, const struct name *name,
                       const struct desired *endpoint);
/* A row says that we own the set at NAME with these records, in any order. */
void plan_add_owned(struct view *view, const struct name *name,
                    const struct rrset *owned);
/*
 * Call it last. *plan is in the view's memory. IS_COMPLETE: no endpoint is missing. If
 * one is, each item that loses a record or changes the resource of a set is held.
 */
void plan_make(struct view *view, const struct plan_rules *rules, bool is_complete,
               struct plan *plan);

/*
 * Also holds items that lose records of a resource without a complete list. RESOURCE is
 * NULL for a mark that names none.
 */
void plan_hold_incomplete(struct plan *plan,
                          bool (*is_sure)(void *self, const char *resource), void *self);

/* ---- for CREATE, UPDATE, and sets that are as desired ---- */

/* Is the step CREATE or UPDATE? */
bool plan_writes_set(const struct plan_item *item);
/* The place of its mark in our form, now or later; of length 0: none. */
void plan_place(const struct view *view, const struct plan_item *item,
                struct name *place);
/*
 * The text of its mark: the present labels with our owner, resource and part. A mark in
 * the seed's form has the owner only.
 */
void plan_mark(struct view *view, const struct plan_item *item, struct mark *mark);
/* Must its mark at PLACE be sealed? */
bool plan_is_sealed(const struct view *view, const struct plan_item *item,
                    const struct name *place);
/* Is its mark at PLACE in the seed's own form? */
bool plan_is_bare(const struct view *view, const struct plan_item *item,
                  const struct name *place);
