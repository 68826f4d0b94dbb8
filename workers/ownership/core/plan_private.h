/*
 * plan_private -- declarations that only the files of the plan use. plan.c plans names
 * and the whole zone. plan_set.c decides about one record set at a time. plan_order.c
 * carries out orders. plan_bounds.c decides which record sets zonefleet-ownership never
 * manages. plan_mark.c makes the names and texts of ownership marks. All of these files
 * use plan_item.c, which uses no other file of the plan.
 */
#pragma once

#include "core/plan.h"

struct planning {
	struct view *view;
	const struct plan_rules *rules;
	struct plan *plan;
	bool delegates;			/* an endpoint desires NS or DNAME records */
};

/* A set that this registry owns according to a row of the database. */
struct owned_set {
	struct owned_set *next;
	struct rrset rrset;
};

struct order_entry {
	struct order_entry *next;	/* the next order, which is newer */
	struct plan_order *order;
};

struct plan_inputs {
	struct desired *endpoints;
	size_t count, size;
	struct desired *desired;	/* the merged endpoints */
	struct owned_set *owned;
	struct order_entry *orders;
	/* a delegation at this name would hide other names */
	bool hides_names;
};

/* Gives *item the step STEP_NONE and REASON. Always returns true. */
bool plan_refuse(struct plan_item *item, enum plan_reason reason);
bool plan_refuse_because(struct plan_item *item, enum plan_reason reason,
                         const char *words);
/*
 * True for RRSIG and NSEC. The server makes these records itself, even at the name of a
 * CNAME.
 */
bool plan_is_signature(uint16_t type);
/* True: this registry owns the set, even if other owners share it. */
bool plan_is_ours(const struct view_set *set);
/* True: the set of TYPE at NODE is desired, or this registry owns the set. */
bool plan_has_stake(const struct node *node, uint16_t type);
/*
 * True: an order applies to the item. In this case, the function has set the step and
 * the reason of *item.
 */
bool plan_follow_order(const struct planning *p, struct plan_item *item);
/* True: the name of the item's mark is the name in the registry's current form. */
bool plan_is_in_place(const struct view *view, const struct plan_item *item);
struct plan_inputs *plan_inputs_of(struct view *view, const struct name *name);
/* Returns the set that this registry owns according to a row, or NULL. */
const struct rrset *plan_owned_set(const struct node *node, uint16_t type);
/* True: the plan must not change the set, and *item contains the reason. */
bool plan_is_out_of_bounds(const struct planning *p, struct plan_item *item);
bool plan_is_filtered(const struct plan_rules *rules, const struct node *node);
bool plan_is_protected(const struct planning *p, const struct node *node, uint16_t type);

/* ---- plan_set.c: step and reason of an item, without the other sets of its name ---- */

void plan_set_desired(const struct planning *p, struct plan_item *item);
/* Sets the step of the item for a mark of this registry whose set does not exist. */
void plan_orphan(struct plan_item *item);
void plan_set_undesired(const struct planning *p, struct plan_item *item);
