/*
 * plan -- what is to be done so that a zone has what its endpoints ask for, and nothing
 * that is another's is touched (seed 001, "Plan"). Pure: it calls nobody, and for each
 * thing that it leaves undone it has a reason.
 *
 * Each set is judged by what the zone has of it, whose that is, and what is wanted; then
 * all sets of a name together, for a CNAME stands alone: a type changes in one step, or
 * not at all, and while what is wanted cannot be, what is there stays.
 *
 * Items of one name come one behind the other, and belong into one message.
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
	REASON_WANTED,			/* and all is well, or will be */
	REASON_UNWANTED,
	REASON_REPAIR,			/* the set is gone, its mark is ours */
	REASON_DRIFT,			/* somebody changed it by hand */
	REASON_ORPHAN_MARK,
	REASON_MARK_LOST,		/* another program removed our mark */
	REASON_ADOPTED,			/* an order; the next two also */
	REASON_RELEASED,
	REASON_GIVEN,
	/* from here on nothing is done */
	REASON_UNMANAGED_EQUAL,		/* as it should be, and nobody's */
	REASON_UNMANAGED,
	REASON_FOREIGN,
	REASON_FOREIGN_ORPHAN,		/* a mark of another's holds the place */
	REASON_FOREIGN_CNAME,
	REASON_NAME_SHARED,		/* another's sets are at the name */
	REASON_BAD_MARK,
	REASON_CONTESTED,
	REASON_VAGUE_MARK,		/* our mark does not say that it is this set's */
	REASON_OCCLUDED,		/* below a delegation or DNAME */
	REASON_HIDES,			/* a delegation or DNAME, over what is there */
	REASON_IMPOSSIBLE,		/* no zone can have what is wanted */
	REASON_PROTECTED,		/* of a type that is not for us */
	REASON_FILTERED,		/* outside what we are told to look after */
	REASON_NO_MARK,			/* there is no place for its mark */
	REASON_POLICY,
	REASON_LOST_RESOLUTION,
	REASON_BLOCKED,			/* what is wanted instead cannot be */
	REASON_COUNT
};
const char *plan_step_name(enum plan_step step);		/* "create" */
const char *plan_reason_name(enum plan_reason reason);		/* "UNMANAGED_EQUAL" */

enum { PLAN_TYPES_MAX = 16 };

struct plan_rules {
	enum plan_policy policy;
	uint16_t types[PLAN_TYPES_MAX];	/* that are ours to manage */
	size_t type_count;
	const struct name *within, *without;	/* at or below; none within: all are */
	size_t within_count, without_count;
	bool by_set;			/* beside another's sets, too: ownership_scope */
	bool keeps_drift;
	bool reclaims;			/* lost marks, of records as we left them */
	uint32_t ttl;			/* of a desired without one */
	unsigned max_delete_pct, max_update_pct;	/* of what is ours */
	size_t min_records;		/* with fewer of ours nothing is too much */
};

struct plan_item {
	const struct node *node;
	uint16_t type;
	enum plan_step step;
	enum plan_reason reason;
	struct plan_order *order;	/* that it is for; NULL: for none */
	bool is_replaced;		/* DELETE: another type comes to its place */
	bool is_held;
	const struct view_set *set;	/* perhaps of no records */
	const struct desired *desired;	/* NULL: nobody wants it */
	struct rrset becomes;		/* of CREATE, UPDATE and LEAVE */
	char detail[120];		/* of NO_MARK and IMPOSSIBLE */
};

struct plan {
	struct plan_item *items;
	size_t count, size;
	size_t ours;			/* sets that are there, and for us to manage */
	size_t steps[STEP_COUNT], reasons[REASON_COUNT], held;
};

/* What is at one name goes together: so do the items from FIRST on, up to this one. */
size_t plan_group_end(const struct plan *plan, size_t first);

/* What somebody wants to be done with marks; records stay as they are. */
enum plan_order_kind {
	ORDER_ADOPT,			/* a set of nobody's, that is wanted, gets ours */
	ORDER_RELEASE,			/* a set of ours loses its mark */
	ORDER_TRANSFER,			/* a set of ours gets the mark of another owner */
};

struct plan_order {
	enum plan_order_kind kind;
	uint16_t type;			/* of the sets that it is for; 0: of all */
	const char *resource;		/* whose they are; NULL: whoever's */
	const struct rrset *expected;	/* ADOPT: what must be there, sorted; NULL:
					   what is wanted */
	const char *to;			/* GIVE: the other owner's id */
	bool is_dry;			/* it is planned, and not done */
	size_t waiting;			/* output: sets that an older order
					   order has first */
};

/* ORDER, which is borrowed, is for the sets of NAME. They come from the oldest on. */
void plan_order(struct view *view, const struct name *name, struct plan_order *order);
/* An endpoint of our owner, whose texts and octets are borrowed. The view is settled. */
void plan_add_endpoint(struct view *view, const struct name *name,
                       const struct desired *endpoint);
/* A row says that we own the set at NAME with these records, in any order. */
void plan_add_owned(struct view *view, const struct name *name,
                    const struct rrset *owned);
/*
 * All are in. *plan is in the view's memory. IS_COMPLETE: no endpoint is missing; else
 * whatever would lose a record, or take it from one resource to another, is held.
 */
void plan_make(struct view *view, const struct plan_rules *rules, bool is_complete,
               struct plan *plan);

/*
 * Of what is planned: whatever would be lost by sets of a resource that nobody has told
 * all about is held, too. RESOURCE is NULL for a mark that names none.
 */
void plan_hold_incomplete(struct plan *plan,
                          bool (*is_sure)(void *self, const char *resource), void *self);

/* ---- of the set of a CREATE or an UPDATE, or of one that is as it is wanted ---- */

/* Is the step CREATE or UPDATE? */
bool plan_writes_set(const struct plan_item *item);
/* Where its mark is, if our form has it there, or will be; of length 0: nowhere. */
void plan_place(const struct view *view, const struct plan_item *item,
                struct name *place);
/*
 * What it will say: what it says now, but for what we know better. Of the seed's own
 * form, which has room for no more, the owner.
 */
void plan_mark(struct view *view, const struct plan_item *item, struct mark *mark);
/* Is its mark at PLACE to be sealed? */
bool plan_is_sealed(const struct view *view, const struct plan_item *item,
                    const struct name *place);
/* Is its mark at PLACE in the seed's own form? */
bool plan_is_bare(const struct view *view, const struct plan_item *item,
                  const struct name *place);
