/*
 * view -- a zone as a plan looks at it: at each name the record sets, and of each set
 * whose it is, as the marks say.
 *
 * A mark speaks for us only by what our own form makes of it, or the form that we had
 * before. One that names no type speaks for no set in particular (OWNER_VAGUE), nor does
 * one that could be for several things that are there, whatever other marks these have:
 * one may be a copy of the other. Against us a mark speaks in each way that anybody could
 * read it. Two owners at one set, or two marks of ours in one place, are contested,
 * unless all of them say that they share it.
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

enum { VIEW_TYPES_MAX = 256 };		/* at one name */

enum owner_kind {
	OWNER_NONE,			/* there is no mark */
	OWNER_US,
	OWNER_VAGUE,			/* a mark of ours is there, perhaps not for it */
	OWNER_SHARED,			/* by all who marked it, perhaps not us */
	OWNER_OTHER,
	OWNER_BAD,			/* a mark without sense */
	OWNER_CONTESTED,
};

/* One record of a mark, or what a table says instead. */
struct marking {
	struct marking *next;		/* of the zone */
	enum mark_kind kind;
	bool is_ours;
	bool is_bare;			/* an owner's id alone, as the seed has it */
	bool is_ambiguous;		/* ours, and could be for several sets */
	bool is_sealed;			/* with our key */
	const struct mark *mark;	/* of MARK_OWNED, else NULL */
	struct node *node;		/* where it stands; NULL: in no zone */
	struct rdata rdata;
};

struct claim {
	struct claim *next;		/* on the same set */
	struct marking *by;
	bool is_former;			/* as our former form has it */
};

struct view_set {
	struct view_set *next;		/* at the same name */
	struct rrset rrset;		/* of no records: only its mark is there */
	enum owner_kind owner;
	struct claim *claims;		/* that name it */
	size_t clear_marks;			/* how many of them say so in our form */
	const struct marking *ours;	/* the mark of ours, of OURS, SHARED and VAGUE */
	bool is_wanted;			/* the plan's */
};

struct node {
	struct node *next;		/* of the zone, as they came */
	struct view_set *sets;
	struct rrset marks;		/* the TXT records here that are marks */
	struct claim *untyped;		/* marks of ours for this name, of no type */
	struct claim *foreign;		/* and of others */
	void *user;			/* whoever walks the view */
	unsigned types;
	unsigned marks_of_ours;		/* that stand here */
	uint8_t len, wire[];		/* its name */
};

/* Where marks of ours are. */
struct mark_settings {
	const char *owner;		/* our id */
	struct mark_form form;
	const struct mark_form *former;	/* NULL: none */
	const uint8_t *key;		/* that they are sealed with; NULL: none */
};

struct view;

/* SEED: random, so that nobody outside can slow it down. */
struct view *view_new(const struct name *zone, uint32_t seed);
void view_free(struct view **view);
const struct name *view_zone(const struct view *view);
const struct mark_form *view_form(const struct view *view);
const char *view_owner(const struct view *view);	/* our id */
const uint8_t *view_key(const struct view *view);	/* of struct mark_settings */

/*
 * NAME in lower case, RDATA canonical; both are copied. False: there are more than
 * VIEW_TYPES_MAX types at that name, and the zone is not for us.
 */
bool view_add(struct view *view, const struct name *name, uint16_t type, uint32_t ttl,
              struct rdata rdata);
/* What a table outside of the zone says; MARK is borrowed. Before view_settle(). */
void view_claim(struct view *view, const struct name *name, uint16_t type,
                const struct mark *mark);
/* No more comes: whose all of it is. */
void view_settle(struct view *view, const struct mark_settings *marks);

/* ---- of a view that is settled ---- */

struct node *view_first(const struct view *view);
/* NULL: there is none. */
struct node *view_find(const struct view *view, const struct name *name);
/* The node of NAME; a new one, without sets, if there is none. */
struct node *view_node(struct view *view, const struct name *name);
void node_name(const struct node *node, struct name *name);
/* The set of TYPE at NODE; a new one, of no records, if there is none. */
struct view_set *view_add_set(struct view *view, struct node *node, uint16_t type);
/* NULL: NODE is NULL or has no such set. */
struct view_set *node_find_set(const struct node *node, uint16_t type);
bool node_has_records(const struct node *node, uint16_t type);
/*
 * Whose HOLDING of NODE is, as marks say: "" is nobody's. Ids of several are joined by
 * commas, which no id has. As long as the view.
 */
const char *view_owners(const struct view *view, const struct node *node,
                        const struct view_set *set);
/* Has it records? HOLDING may be NULL. */
bool view_set_exists(const struct view_set *set);
/* What our mark on it says; NULL: nothing. */
const char *view_set_resource(const struct view_set *set);
/* Would a mark of ours that could be for it change nothing, or only what may be ours? */
bool view_set_is_ours_anyway(const struct view_set *set);
/*
 * Where the mark of TYPE at NODE would stand; of length 0: in no zone. ERR_INVALID, in
 * words: nowhere, or where somebody has other records, or where it would not be read as
 * what it is.
 */
enum err view_mark_name(const struct view *view, const struct node *node, uint16_t type,
                        struct name *mark, struct why *why);
/*
 * Could a mark of ours be for a set elsewhere than at NODE, that has no other in our
 * form? BY_OURS: for one that is ours and wanted, as far as the plan knows by now.
 */
bool view_is_needed(const struct view *view, const struct marking *marking,
                    const struct node *node, bool by_ours);
/* Is text like this, if it were somebody's TXT record, a mark? */
bool view_is_mark(const struct view *view, struct rdata rdata);
/* Is a set of TYPE at NAME hidden, by a delegation or DNAME? Glue of ours is not. */
bool view_is_hidden(const struct view *view, const struct name *name, uint16_t type);
/* For what lives as long as the view. */
struct arena *view_arena(const struct view *view);
