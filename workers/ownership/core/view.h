/*
 * view -- a zone as the plan sees it: the record sets of each name, with their owners by
 * the marks.
 *
 * Our own mark counts in our form and in the former one only. An untyped mark is for no
 * set in particular (OWNER_VAGUE). Nor is a mark that may be for several existing sets:
 * it may be a copy. A mark of another owner counts in each form in which it can be read.
 * Two owners of one set, or two marks of ours in one place, are contested, unless all of
 * them are shared.
 *
 * All memory is the view's. Records come in any order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/mark.h"
#include "core/mark_name.h"
#include "core/rrset.h"

enum { VIEW_TYPES_MAX = 256 };		/* at one name */

enum owner_kind {
	OWNER_NONE,			/* no mark */
	OWNER_US,
	OWNER_VAGUE,			/* our mark may be for another set */
	OWNER_SHARED,			/* by all owners of its marks */
	OWNER_OTHER,
	OWNER_BAD,			/* a malformed mark */
	OWNER_CONTESTED,
};

/* One record of a mark, or a row of a table. */
struct marking {
	struct marking *next;		/* of the zone */
	enum mark_kind kind;
	bool is_ours;
	bool is_bare;			/* the owner's id only: the seed's form */
	bool is_ambiguous;		/* ours, and could be for several sets */
	bool is_sealed;			/* with our key */
	const struct mark *mark;	/* of MARK_OWNED, else NULL */
	struct node *node;		/* its place; NULL: a row of a table */
	struct rdata rdata;
};

struct claim {
	struct claim *next;		/* on the same set */
	struct marking *by;
	bool is_former;			/* by our former form */
};

struct view_set {
	struct view_set *next;		/* at the same name */
	struct rrset rrset;		/* empty: only its mark exists */
	enum owner_kind owner;
	struct claim *claims;		/* that name it */
	size_t clear_marks;			/* our claims that are not ambiguous */
	const struct marking *ours;	/* our mark: of US, SHARED and VAGUE */
	bool is_wanted;			/* the plan's */
};

struct node {
	struct node *next;		/* of the zone */
	struct view_set *sets;
	struct rrset marks;		/* TXT records here that are marks */
	struct claim *untyped;		/* our untyped marks for this name */
	struct claim *foreign;		/* and those of others */
	void *user;			/* of the plan */
	unsigned types;
	unsigned marks_of_ours;		/* placed here */
	uint8_t len, wire[];		/* its name */
};

/* The settings of our marks. */
struct mark_settings {
	const char *owner;		/* our id */
	struct mark_form form;
	const struct mark_form *former;	/* NULL: none */
	const uint8_t *key;		/* seals them; NULL: no seal */
};

struct view;

/* SEED: random, against chosen hash collisions. */
struct view *view_new(const struct name *zone, uint32_t seed);
void view_free(struct view **view);
const struct name *view_zone(const struct view *view);
const struct mark_form *view_form(const struct view *view);
const char *view_owner(const struct view *view);	/* our id */
const uint8_t *view_key(const struct view *view);	/* of struct mark_settings */

/*
 * NAME in lower case, RDATA canonical; both are copied. False: the name has more than
 * VIEW_TYPES_MAX types, and the zone cannot be planned.
 */
bool view_add(struct view *view, const struct name *name, uint16_t type, uint32_t ttl,
              struct rdata rdata);
/* Adds the row of a table; MARK is borrowed. Before view_settle(). */
void view_claim(struct view *view, const struct name *name, uint16_t type,
                const struct mark *mark);
/* Call it last: finds the owners. */
void view_settle(struct view *view, const struct mark_settings *marks);

/* ---- of a view that is settled ---- */

struct node *view_first(const struct view *view);
/* NULL: there is none. */
struct node *view_find(const struct view *view, const struct name *name);
/* The node of NAME; a new one, without sets, if there is none. */
struct node *view_node(struct view *view, const struct name *name);
void node_name(const struct node *node, struct name *name);
/* The set of TYPE at NODE; an empty one is added if there is none. */
struct view_set *view_add_set(struct view *view, struct node *node, uint16_t type);
/* NULL: NODE is NULL or has no such set. */
struct view_set *node_find_set(const struct node *node, uint16_t type);
bool node_has_records(const struct node *node, uint16_t type);
/*
 * The owners of SET at NODE, by the marks; "": no owner. Several ids are joined by
 * commas, which no id has. Lives as long as the view.
 */
const char *view_owners(const struct view *view, const struct node *node,
                        const struct view_set *set);
/* Has it records? SET may be NULL. */
bool view_set_exists(const struct view_set *set);
/* The resource that our mark names, or NULL. */
const char *view_set_resource(const struct view_set *set);
/* Is it contested, or ours and desired? Another mark of ours would change nothing. */
bool view_set_is_ours_anyway(const struct view_set *set);
/*
 * The place of the mark of TYPE at NODE; of length 0: in no zone. ERR_INVALID: there is
 * none, other records are there, or the mark would be read as another one.
 */
enum err view_mark_name(const struct view *view, const struct node *node, uint16_t type,
                        struct name *mark, struct why *why);
/*
 * May our MARKING be for a set at another name than NODE's that has no other mark in our
 * form? BY_OURS: counts only sets that are ours and desired.
 */
bool view_is_needed(const struct view *view, const struct marking *marking,
                    const struct node *node, bool by_ours);
/* Would a TXT record with RDATA be read as a mark? */
bool view_is_mark(const struct view *view, struct rdata rdata);
/* Is a set of TYPE at NAME hidden, by a delegation or DNAME? Glue of ours is not. */
bool view_is_hidden(const struct view *view, const struct name *name, uint16_t type);
/* Memory that lives as long as the view. */
struct arena *view_arena(const struct view *view);
