/*
 * view_private -- between view.c, which keeps what is in a zone, and view_marks.c, which
 * finds out whose it is.
 */
#pragma once

#include "base/map.h"
#include "core/view.h"

/* A TXT record that is a mark. */
struct found {
	struct found *next;
	struct node *node;
	struct rdata rdata;
	enum mark_kind kind;
	struct mark *mark;
};

struct view {
	struct arena *arena;
	struct map *nodes;
	struct node *first, **last;
	struct found *found, **last_found;
	struct name zone;
	const char *ours;
	struct mark_form form;
};

/* The set of TYPE; a new one, of nobody's, if there is none. */
struct holding *view_get_holding(struct view *view, struct node *node, uint16_t type);
/* NULL: there is none. */
struct holding *view_find_holding(const struct node *node, uint16_t type);
