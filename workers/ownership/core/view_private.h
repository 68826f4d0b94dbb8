/*
 * view_private -- between view.c, which keeps what is in a zone, view_marks.c, which
 * finds out whose it is, and view_place.c, which knows where a mark may stand.
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

/* The set of TYPE; a new one, of nobody's, if there is none. */
struct view_set *view_get_set(struct view *view, struct node *node, uint16_t type);

/* What a mark of ours is for, by our form or the one that we had before. */
struct view_meaning {
	struct mark_reading is;
	bool is_former;
};

/* False: for nothing, or for more than one thing. IS_BARE: as the seed's form has it. */
bool view_meaning(const struct view *view, const struct name *place, bool is_bare,
                  struct view_meaning *meaning);
/* Could it be one for something else that is there, too, and has none? */
bool view_is_ambiguous(const struct view *view, const struct name *place, bool is_bare,
                       const struct view_meaning *meaning);
