/*
 * plan -- makes the changes that give a zone its desired record sets ("Plan" in the
 * requirements, seed 001). The plan does not change the record sets of other owners. If
 * the plan leaves a record set unchanged, the plan says why. This module does no I/O.
 *
 * In the first step, plan_make() decides about each record set separately. This decision
 * depends on the current records, the owner and the desired record set. In the second
 * step, plan_make() decides about all record sets of a name together, because a CNAME
 * must be alone at its name. So the plan replaces a record set with a record set of
 * another type in one step, or not at all. As long as the desired record set is
 * impossible, the plan keeps the current record set.
 *
 * The items of one name are next to each other in the plan. The round makes one dynamic
 * update from these items, so the server applies all changes of one name together.
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
	STEP_CREATE,			/* creates the set and its mark */
	STEP_UPDATE,			/* changes the set, its mark, or both */
	STEP_DELETE,			/* deletes the set and its mark */
	/* deletes this registry's part of a shared set, and this registry's mark */
	STEP_LEAVE,
	/*
	 * deletes only the mark, because the set does not exist or an order releases the
	 * set
	 */
	STEP_UNMARK,
	STEP_COUNT
};

enum plan_reason {
	/* the set is as desired, or the step changes the set to the desired set */
	REASON_WANTED,
	REASON_UNWANTED,		/* no endpoint desires the set */
	/* the set is missing, but has a mark of this registry */
	REASON_REPAIR,
	REASON_DRIFT,			/* another program changed the set */
	REASON_ORPHAN_MARK,		/* this registry's mark belongs to no set */
	REASON_MARK_LOST,		/* another program removed this registry's mark */
	/* an order caused the step (this reason and the next two reasons) */
	REASON_ADOPTED,
	REASON_RELEASED,
	REASON_GIVEN,
	/* for this reason and all following reasons, the plan does not change the set */
	REASON_UNMANAGED_EQUAL,		/* the set is as desired, but has no owner */
	REASON_UNMANAGED,
	REASON_FOREIGN,
	REASON_FOREIGN_ORPHAN,		/* another owner's mark belongs to no set */
	REASON_FOREIGN_CNAME,
	REASON_NAME_SHARED,		/* the name has sets of another owner */
	REASON_BAD_MARK,
	REASON_CONTESTED,
	/* this registry's mark possibly belongs to a different set */
	REASON_VAGUE_MARK,
	REASON_OCCLUDED,		/* a delegation or DNAME hides the set */
	/* the set is a delegation or DNAME and would hide other sets */
	REASON_HIDES,
	REASON_IMPOSSIBLE,		/* a zone cannot contain the desired set */
	/* the type is not managed, or the type is NS at the name of the zone */
	REASON_PROTECTED,
	REASON_FILTERED,		/* the name is outside domain_filter */
	REASON_NO_MARK,			/* zonefleet cannot write a mark for the set */
	REASON_POLICY,
	REASON_LOST_RESOLUTION,
	/* another set should replace the set, but this other set is impossible */
	REASON_BLOCKED,
	REASON_COUNT
};
const char *plan_step_name(enum plan_step step);		/* "create" */
const char *plan_reason_name(enum plan_reason reason);		/* "UNMANAGED_EQUAL" */

enum { PLAN_TYPES_MAX = 16 };

struct plan_rules {
	enum plan_policy policy;
	uint16_t types[PLAN_TYPES_MAX];	/* the types of the option managed_types */
	size_t type_count;
	/*
	 * The plan changes names that are in a domain of `within` and in no domain of
	 * `without`. If `within` is empty, the plan changes all names that are in no
	 * domain of `without`.
	 */
	const struct name *within, *without;
	size_t within_count, without_count;
	bool by_set;			/* `ownership_scope` is "rrset" */
	bool keeps_drift;
	/* if an unchanged set has lost its mark, the set gets a new mark */
	bool reclaims;
	uint32_t ttl;			/* TTL for an endpoint without TTL */
	/*
	 * Limits for changes without approval, as percentages of the owned sets: the
	 * sets that the plan may delete, and the sets from which the plan may remove
	 * records.
	 */
	unsigned max_delete_pct, max_update_pct;
	/* if there are fewer owned sets, the plan ignores these two limits */
	size_t min_records;
};

/* True: the type is in managed_types. */
bool plan_is_managed(const struct plan_rules *rules, uint16_t type);

struct plan_item {
	const struct node *node;
	uint16_t type;
	enum plan_step step;
	enum plan_reason reason;
	struct plan_order *order;	/* the order that caused the item, or NULL */
	/* DELETE: a set of another type replaces this set */
	bool is_replaced;
	bool is_held;
	const struct view_set *set;	/* the current set; possibly without records */
	const struct desired *desired;	/* NULL: the set is not desired */
	struct rrset becomes;		/* the set after CREATE, UPDATE or LEAVE */
	char detail[120];		/* details of the reason; "": no details */
};

struct plan {
	struct plan_item *items;
	size_t count, size;
	/* number of existing sets that this registry owns and manages */
	size_t ours;
	size_t steps[STEP_COUNT], reasons[REASON_COUNT], held;
};

/*
 * Returns the index after the last item of the group that begins at FIRST. A group
 * contains all items of one name.
 */
size_t plan_group_end(const struct plan *plan, size_t first);

/* An order changes ownership marks. It does not change records. */
enum plan_order_kind {
	/* a desired set without owner gets this registry's mark */
	ORDER_ADOPT,
	ORDER_RELEASE,			/* a set of this registry loses its mark */
	/* a set of this registry gets the mark of another owner */
	ORDER_TRANSFER,
};

struct plan_order {
	enum plan_order_kind kind;
	uint16_t type;			/* type of the sets in the order; 0: all types */
	/* resource of the sets in the order; NULL: all resources */
	const char *resource;
	/*
	 * ADOPT: the sorted records that the set must have now; NULL: the set must have
	 * the desired records
	 */
	const struct rrset *expected;
	const char *to;			/* TRANSFER: the id of the new owner */
	bool is_dry;			/* dry run: only plan, change nothing */
	/* output: number of sets of this order that must wait for an older order */
	size_t waiting;
};

/*
 * Adds an order for the sets of NAME. Borrows ORDER. Add an older order before a newer
 * order.
 */
void plan_order(struct view *view, const struct name *name, struct plan_order *order);
/*
 * Adds an endpoint. Borrows the strings and octets of ENDPOINT. Call it after
 * view_settle().
 */
void plan_add_endpoint(struct view *view, const struct name *name,
                       const struct desired *endpoint);
/*
 * Adds a row of the database: this registry owns the set at NAME with these records, in
 * any order.
 */
void plan_add_owned(struct view *view, const struct name *name,
                    const struct rrset *owned);
/*
 * Makes the plan. Call it after you have added all orders, endpoints and rows. *plan is
 * in the view's memory. IS_COMPLETE: all endpoints are known. If IS_COMPLETE is false,
 * the plan holds each item that removes a record or changes the resource of a set. If
 * the deletions exceed max_delete_pct, the plan holds all deletions. If the updates that
 * remove records exceed max_update_pct, the plan holds all of these updates. If the plan
 * holds an item, it also holds all other items of the same name.
 */
void plan_make(struct view *view, const struct plan_rules *rules, bool is_complete,
               struct plan *plan);

/*
 * Holds each item that removes records or changes the resource of a set, if is_sure()
 * returns false for the current resource of the set. Also holds all other items of the
 * same name. RESOURCE is NULL if the mark has no resource.
 */
void plan_hold_incomplete(struct plan *plan,
                          bool (*is_sure)(void *self, const char *resource), void *self);

/* ---- for CREATE, UPDATE, and sets that are as desired ---- */

/* True: the step is CREATE or UPDATE. */
bool plan_writes_set(const struct plan_item *item);
/*
 * Makes the name of the item's current or future mark in the registry's form. The length
 * of *place is 0 if no name is possible.
 */
void plan_place(const struct view *view, const struct plan_item *item,
                struct name *place);
/*
 * Makes the item's mark from the labels of the current mark (mark.h). Sets the owner, the
 * resource, "shared" and "part" of this registry. For a transfer, sets only the new
 * owner. In the form of seed 001, the mark contains only the owner.
 */
void plan_mark(struct view *view, const struct plan_item *item, struct mark *mark);
/* True: the item's mark at PLACE must be sealed. */
bool plan_is_sealed(const struct view *view, const struct plan_item *item,
                    const struct name *place);
/* True: the item's mark at PLACE has the form of seed 001. */
bool plan_is_bare(const struct view *view, const struct plan_item *item,
                  const struct name *place);
