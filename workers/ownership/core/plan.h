/*
 * plan -- the changes that give a zone its desired record sets and do not touch the sets
 * of other owners (seed 001, "Plan"). Pure. For each set without a change it has a
 * reason.
 *
 * The plan judges each set by its records, its owner and the desired set. Then it judges
 * all sets of a name together, because a CNAME must be alone: a change of type is one
 * step or nothing. The present set stays while the desired set is impossible.
 *
 * Items of one name follow each other and belong in one message.
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
	STEP_UNMARK,			/* the mark of a set that does not exist */
	STEP_COUNT
};

enum plan_reason {
	/* the set is as desired, or will be after the step */
	REASON_WANTED,
	REASON_UNWANTED,
	REASON_REPAIR,			/* the set is missing and its mark is ours */
	REASON_DRIFT,			/* another program changed it */
	REASON_ORPHAN_MARK,
	REASON_MARK_LOST,		/* another program removed our mark */
	REASON_ADOPTED,			/* by an order, as for the next two */
	REASON_RELEASED,
	REASON_GIVEN,
	/* the following reasons mean: no change */
	REASON_UNMANAGED_EQUAL,		/* equal to the desired set, without owner */
	REASON_UNMANAGED,
	REASON_FOREIGN,
	REASON_FOREIGN_ORPHAN,		/* a mark of another owner, but no set */
	REASON_FOREIGN_CNAME,
	REASON_NAME_SHARED,		/* the name has sets of another owner */
	REASON_BAD_MARK,
	REASON_CONTESTED,
	REASON_VAGUE_MARK,		/* our mark may be for another set */
	REASON_OCCLUDED,		/* hidden below a delegation or DNAME */
	/* a delegation or DNAME that would hide other sets */
	REASON_HIDES,
	REASON_IMPOSSIBLE,		/* a zone cannot have the desired set */
	REASON_PROTECTED,		/* its type is not managed */
	REASON_FILTERED,		/* outside domain_filter */
	REASON_NO_MARK,			/* no name is possible for its mark */
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
	const struct name *within, *without;	/* names; without `within`: all names */
	size_t within_count, without_count;
	bool by_set;			/* ownership_scope is rrset */
	bool keeps_drift;
	/* marks unchanged sets again if their mark is lost */
	bool reclaims;
	uint32_t ttl;			/* for an endpoint without TTL */
	/* percentages of the owned sets */
	unsigned max_delete_pct, max_update_pct;
	size_t min_records;		/* with fewer owned sets, no limit applies */
};

struct plan_item {
	const struct node *node;
	uint16_t type;
	enum plan_step step;
	enum plan_reason reason;
	struct plan_order *order;	/* the order that the item follows, or NULL */
	bool is_replaced;		/* DELETE: a set of another type replaces it */
	bool is_held;
	const struct view_set *set;	/* may have no records */
	const struct desired *desired;	/* NULL: not desired */
	struct rrset becomes;		/* the result of CREATE, UPDATE and LEAVE */
	char detail[120];		/* for NO_MARK and IMPOSSIBLE */
};

struct plan {
	struct plan_item *items;
	size_t count, size;
	size_t ours;			/* existing sets that we own and manage */
	size_t steps[STEP_COUNT], reasons[REASON_COUNT], held;
};

/* Returns the end of the group of items with the same name that begins at FIRST. */
size_t plan_group_end(const struct plan *plan, size_t first);

/* An order changes marks; records stay as they are. */
enum plan_order_kind {
	ORDER_ADOPT,			/* a desired set without owner gets our mark */
	ORDER_RELEASE,			/* our set loses its mark */
	ORDER_TRANSFER,			/* our set gets the mark of another owner */
};

struct plan_order {
	enum plan_order_kind kind;
	uint16_t type;			/* type of the sets in the order; 0: all types */
	const char *resource;		/* resource of these sets; NULL: any */
	/* ADOPT: the records that must be there, sorted; NULL: the desired records */
	const struct rrset *expected;
	const char *to;			/* TRANSFER: the id of the new owner */
	bool is_dry;			/* only plan, change nothing */
	/* output: the number of sets that an older order changes first */
	size_t waiting;
};

/* Adds an order for the sets of NAME; borrows ORDER. Add the oldest order first. */
void plan_order(struct view *view, const struct name *name, struct plan_order *order);
/* Borrows texts and octets of ENDPOINT. Call it after view_settle(). */
void plan_add_endpoint(struct view *view, const struct name *name,
                       const struct desired *endpoint);
/* Adds a row that says that we own the set at NAME with these records, in any order. */
void plan_add_owned(struct view *view, const struct name *name,
                    const struct rrset *owned);
/*
 * Makes the plan; call it last. *plan is in the view's memory. IS_COMPLETE: all
 * endpoints are known. Otherwise the plan holds each item that loses a record or changes
 * the resource of a set.
 */
void plan_make(struct view *view, const struct plan_rules *rules, bool is_complete,
               struct plan *plan);

/*
 * Also holds items that lose records of a resource without a complete list. RESOURCE is
 * NULL for a mark without a resource.
 */
void plan_hold_incomplete(struct plan *plan,
                          bool (*is_sure)(void *self, const char *resource), void *self);

/* ---- for CREATE, UPDATE, and sets that are as desired ---- */

/* True: the step is CREATE or UPDATE. */
bool plan_writes_set(const struct plan_item *item);
/* The name of the item's mark in our form, now or later; length 0: no name. */
void plan_place(const struct view *view, const struct plan_item *item,
                struct name *place);
/*
 * The text of the item's mark: the present labels with our owner, resource and part. In
 * the form of seed 001 the mark has only the owner.
 */
void plan_mark(struct view *view, const struct plan_item *item, struct mark *mark);
/* True: the item's mark at PLACE must be sealed. */
bool plan_is_sealed(const struct view *view, const struct plan_item *item,
                    const struct name *place);
/* True: the item's mark at PLACE has the form of seed 001. */
bool plan_is_bare(const struct view *view, const struct plan_item *item,
                  const struct name *place);
