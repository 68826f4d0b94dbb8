/*
 * view_private -- declarations that only the files of the view use. view.c stores the
 * records of a zone. view_marks.c finds their owners. view_owner.c makes the lists of
 * owners. view_place.c finds the names of ownership marks.
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

/* Returns the set of TYPE at NODE. If there is no such set, adds a set without owner. */
struct view_set *view_get_set(struct view *view, struct node *node, uint16_t type);

/* The set to which a mark of this registry belongs, and the form of the mark. */
struct view_meaning {
	struct mark_reading is;
	bool is_former;			/* the mark has the registry's former form */
};

/*
 * Finds the set to which the mark at PLACE belongs. IS_BARE: the mark has the form of
 * seed 001. False: the mark belongs to no set, or fits several sets.
 */
bool view_meaning(const struct view *view, const struct name *place, bool is_bare,
                  struct view_meaning *meaning);
/*
 * True: the mark at PLACE also fits another existing set that has no clear mark
 * (clear_marks in view.h).
 */
bool view_is_ambiguous(const struct view *view, const struct name *place, bool is_bare,
                       const struct view_meaning *meaning);
