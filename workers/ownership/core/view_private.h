/*
 * view_private -- between view.c, which keeps the records of a zone, view_marks.c, which
 * finds their owners, and view_place.c, which finds the places of marks.
 */
#pragma once

#include "base/map.h"
#include "core/view.h"

struct view {
	struct arena *arena;
	struct map *nodes;
	struct node *first, **last;
	struct marking *markings, **last_marking;
	struct name zone;
	struct mark_settings marks;
};

/* The set of TYPE; one without owner is added if there is none. */
struct view_set *view_get_set(struct view *view, struct node *node, uint16_t type);

/* The set of our mark, by our form or the former one. */
struct view_meaning {
	struct mark_reading is;
	bool is_former;
};

/* False: for nothing, or for more than one thing. IS_BARE: as the seed's form has it. */
bool view_meaning(const struct view *view, const struct name *place, bool is_bare,
                  struct view_meaning *meaning);
/* May it be the mark of another existing set that has none? */
bool view_is_ambiguous(const struct view *view, const struct name *place, bool is_bare,
                       const struct view_meaning *meaning);
