/*
 * plan_private -- between plan.c, which looks at names and at the whole, and plan_set.c,
 * which judges one set at a time.
 */
#pragma once

#include "core/plan.h"

struct planning {
	struct view *view;
	const struct plan_rules *rules;
	struct plan *plan;
};

/* What is known of a name besides what the zone has. */
struct made {
	struct made *next;
	struct rrset is;
};

struct known {
	struct wish *wishes;
	struct made *made;
};

/* Nothing is done. Always true. */
bool plan_refuse(struct plan_item *item, enum plan_reason reason);
bool plan_is_there(const struct holding *holding);
/* Records that may stand beside a CNAME: a server's own. */
bool plan_is_signature(uint16_t type);
/* Also if others share it. */
bool plan_is_ours(const struct view *view, const struct holding *holding);

/* ---- plan_set.c: step and reason of an item, as if it were alone at its name ---- */

void plan_set_wanted(const struct planning *p, struct plan_item *item);
void plan_set_unwanted(const struct planning *p, struct plan_item *item);
