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
	struct view_marks marks;
};

/* The set of TYPE; a new one, of nobody's, if there is none. */
struct holding *view_get_holding(struct view *view, struct node *node, uint16_t type);
/* NULL: there is none. */
struct holding *view_find_holding(const struct node *node, uint16_t type);

/*
 * The one thing that a mark is for, or NULL: of those with a type the only one, where a
 * "*" was meant if the form has another label for it; else the first without a type.
 */
const struct mark_reading *view_meant(const struct mark_reading *readings, size_t count);
/* Are there sets at NODE that a mark of ours without a type could be for? */
bool view_has_untold(const struct view *view, const struct node *node);
