/*
 * view_private -- shared by view.c, which keeps the records of a zone, view_marks.c,
 * which finds their owners, and view_place.c, which finds the places of marks.
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

/* The set of TYPE at NODE. If it does not exist, adds a set without owner. */
struct view_set *view_get_set(struct view *view, struct node *node, uint16_t type);

/* The set of our mark, and whether the mark has our form or our former form. */
struct view_meaning {
	struct mark_reading is;
	bool is_former;
};

/* False: the mark has no meaning or several. IS_BARE: it has the form of seed 001. */
bool view_meaning(const struct view *view, const struct name *place, bool is_bare,
                  struct view_meaning *meaning);
/* True: the mark may be for another existing set without a mark. */
bool view_is_ambiguous(const struct view *view, const struct name *place, bool is_bare,
                       const struct view_meaning *meaning);
