/*
 * view -- a zone as a plan looks at it: at each name the record sets, and of each set
 * whose it is, as the marks in the zone say.
 *
 * A mark can often be read in more than one way (core/mark_name.h). For us it speaks by
 * what our own form makes of it, or else by the one thing that the other forms do;
 * against us it speaks in each reading, but old marks, which name no type, yield to
 * those that do.
 * Two marks of different owners at one set, or two records at one mark's name, are
 * contested, unless all of them say that they share the name. Marks in all the forms
 * that external-dns writes are heard, whatever form ours are written in.
 *
 * Everything is in the view's own memory. The records come in any order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/mark.h"
#include "core/mark_name.h"
#include "core/rrset.h"

enum whose {
	WHOSE_NOBODYS,			/* there is no mark */
	WHOSE_OURS,
	WHOSE_SHARED,			/* by all who marked it, perhaps not us */
	WHOSE_ANOTHERS,
	WHOSE_BAD,			/* a mark without sense */
	WHOSE_CONTESTED,
};

/* One record of a mark. */
struct claim {
	struct claim *next;		/* on the same set */
	enum mark_kind kind;
	const struct mark *mark;	/* of MARK_OWNED, else NULL */
	const struct node *node;	/* where it stands */
	struct rdata rdata;
};

struct holding {
	struct holding *next;		/* at the same name */
	struct rrset is;		/* of no records: only its mark is there */
	enum whose whose;
	struct claim *claims;
};

struct node {
	struct node *next;		/* of the zone, as they came */
	struct holding *holdings;
	struct rrset marks;		/* the TXT records here that are marks */
	struct claim *untyped;		/* that could be for any set here */
	void *user;			/* whoever walks the view */
	uint8_t len, wire[];		/* its name */
};

struct view;

/* SEED: random, so that nobody outside can slow it down. */
struct view *view_new(const struct name *zone, uint32_t seed);
void view_free(struct view **view);
const struct name *view_zone(const struct view *view);
bool view_is_bare(const struct view *view);	/* marks are in the seed's form */

/* NAME in lower case, RDATA canonical; both are copied. */
void view_add(struct view *view, const struct name *name, uint16_t type, uint32_t ttl,
              struct rdata rdata);
/*
 * No more records come. Whose they are, if OURS is our owner's id and FORM where our
 * marks are.
 */
void view_settle(struct view *view, const char *ours, const struct mark_form *form);

/* ---- of a view that is settled ---- */

struct node *view_first(const struct view *view);
/* NULL: there is none. */
struct node *view_find(const struct view *view, const struct name *name);
/* The node of NAME; a new one, without holdings, if there is none. */
struct node *view_node(struct view *view, const struct name *name);
void node_name(const struct node *node, struct name *name);
/* The set of TYPE at NODE; a new one, of no records, if there is none. */
struct holding *view_holding(struct view *view, struct node *node, uint16_t type);
/* NULL: there is none. */
const struct holding *node_holding(const struct node *node, uint16_t type);
/* Our claim on it, or NULL. */
const struct claim *holding_claim(const struct view *view, const struct holding *holding);
/*
 * Where the mark of TYPE at NODE would stand. ERR_INVALID, in words: nowhere, or where
 * somebody has other records, or where it would be taken for another set's.
 */
enum err view_mark_name(const struct view *view, const struct node *node, uint16_t type,
                        struct name *mark, struct why *why);
/* Is a set of TYPE at NAME hidden, by a delegation or DNAME? Glue of ours is not. */
bool view_is_hidden(const struct view *view, const struct name *name, uint16_t type);
/* For what lives as long as the view. */
struct arena *view_arena(const struct view *view);
