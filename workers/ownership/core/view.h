/*
 * view -- stores a zone for the plan: the record sets of each name, and their owners
 * according to the ownership marks.
 *
 * An ownership mark of this registry is valid only in the registry's current or former
 * form. An ownership mark of another owner is valid in every form that zonefleet can
 * read. An ownership mark without a type belongs to no particular record set
 * (OWNER_VAGUE). An ownership mark that fits several existing record sets also belongs
 * to no particular record set, because the mark is possibly a copy. A record set with
 * two owners is contested, unless all of its ownership marks contain "shared=true". Two
 * ownership marks of this registry at one name are an exception: the record set of these
 * marks is contested even with "shared=true".
 *
 * The view owns all of its memory. The caller may add records in any order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/mark.h"
#include "core/mark_name.h"
#include "core/rrset.h"

enum { VIEW_TYPES_MAX = 256 };		/* maximum number of types at one name */

enum owner_kind {
	OWNER_NONE,			/* the set has no mark */
	OWNER_US,
	/* this registry's mark possibly belongs to a different set */
	OWNER_VAGUE,
	OWNER_SHARED,			/* all marks of the set contain "shared=true" */
	OWNER_OTHER,
	OWNER_BAD,			/* the set has a malformed mark */
	OWNER_CONTESTED,
};

/* One TXT record with a mark, or one row of a table. */
struct marking {
	struct marking *next;		/* the next marking of the zone */
	enum mark_kind kind;
	bool is_ours;
	bool is_bare;			/* the mark has the form of seed 001 */
	/* the mark names this registry as the owner, and fits several sets */
	bool is_ambiguous;
	bool is_sealed;			/* the mark is sealed with this registry's key */
	/* labels of the mark, if `kind` is MARK_OWNED; NULL: another kind */
	const struct mark *mark;
	/* node of the TXT record; NULL: the marking is a row of a table */
	struct node *node;
	struct rdata rdata;
};

struct claim {
	struct claim *next;		/* the next claim to the same set */
	struct marking *by;
	bool is_former;			/* the mark has this registry's former form */
};

struct view_set {
	struct view_set *next;		/* the next set at the same name */
	struct rrset rrset;		/* the records; empty: the set has only a mark */
	enum owner_kind owner;
	struct claim *claims;		/* marks for this set */
	/*
	 * number of marks of this registry for this set. Ambiguous marks and marks in the
	 * former form do not count.
	 */
	size_t clear_marks;
	/* this registry's mark, for OWNER_US, _SHARED and _VAGUE */
	const struct marking *ours;
	/* the set is desired (the plan sets this member) */
	bool is_wanted;
};

struct node {
	struct node *next;		/* the next node of the zone */
	struct view_set *sets;
	struct rrset marks;		/* the TXT records at this name that are marks */
	/* marks of this registry for this name that contain no type */
	struct claim *untyped;
	struct claim *foreign;		/* marks of other owners that contain no type */
	void *user;			/* the data of the plan about this name */
	unsigned types;			/* number of types at this name */
	/* number of marks of this registry at this name */
	unsigned marks_of_ours;
	uint8_t len, wire[];		/* name of the node */
};

/* The settings of the marks of this registry. */
struct mark_settings {
	const char *owner;		/* the storage_id of this registry */
	struct mark_form form;
	/* former form of the marks; NULL: no former form */
	const struct mark_form *former;
	/* key that seals the marks; NULL: do not seal the marks */
	const uint8_t *key;
};

struct view;

/*
 * Makes an empty view of ZONE. SEED: a random number, so that an attacker cannot choose
 * names whose hashes collide.
 */
struct view *view_new(const struct name *zone, uint32_t seed);
void view_free(struct view **view);
const struct name *view_zone(const struct view *view);
const struct mark_form *view_form(const struct view *view);
/* Returns the storage_id of this registry. */
const char *view_owner(const struct view *view);
/* Returns the key of struct mark_settings. */
const uint8_t *view_key(const struct view *view);

/*
 * Adds a record. Copies NAME, which is in lower case, and RDATA, which is canonical.
 * False: the name has more than VIEW_TYPES_MAX types, so no plan of the zone is possible.
 */
bool view_add(struct view *view, const struct name *name, uint16_t type, uint32_t ttl,
              struct rdata rdata);
/*
 * Adds a row of a table as a mark for the set of TYPE at NAME. Borrows MARK. Call it
 * before view_settle().
 */
void view_claim(struct view *view, const struct name *name, uint16_t type,
                const struct mark *mark);
/* Finds the owners of all sets. Call it after the last record and the last row. */
void view_settle(struct view *view, const struct mark_settings *marks);

/* ---- after view_settle() ---- */

struct node *view_first(const struct view *view);
/* Returns the node of NAME. NULL: no node has this name. */
struct node *view_find(const struct view *view, const struct name *name);
/* Returns the node of NAME. If there is no such node, adds a node without sets. */
struct node *view_node(struct view *view, const struct name *name);
void node_name(const struct node *node, struct name *name);
/* Returns the set of TYPE at NODE. If there is no such set, adds an empty set. */
struct view_set *view_add_set(struct view *view, struct node *node, uint16_t type);
/* Returns the set of TYPE at NODE. NULL: NODE is NULL or has no such set. */
struct view_set *node_find_set(const struct node *node, uint16_t type);
bool node_has_records(const struct node *node, uint16_t type);
/*
 * Returns the ids of the owners of SET at NODE, according to the marks. Commas separate
 * the ids. An id cannot contain a comma. "": no owner. The text is valid as long as the
 * view.
 */
const char *view_owners(const struct view *view, const struct node *node,
                        const struct view_set *set);
/* True: the set has records. SET may be NULL. */
bool view_set_exists(const struct view_set *set);
/* Returns the resource in this registry's mark, or NULL. */
const char *view_set_resource(const struct view_set *set);
/*
 * True: the set is contested, or this registry owns and desires the set. In this case,
 * an additional mark of this registry changes nothing.
 */
bool view_set_is_ours_anyway(const struct view_set *set);
/*
 * Makes the name of the ownership mark for TYPE at NODE. The length of *mark is 0 if the
 * marks are not in the zone. ERR_INVALID: a mark cannot have this name, and *why
 * contains the reason. For example, the name has other records, a delegation or DNAME
 * hides the name, or zonefleet would read the mark as the mark of another record set.
 */
enum err view_mark_name(const struct view *view, const struct node *node, uint16_t type,
                        struct name *mark, struct why *why);
/*
 * True: MARKING of this registry possibly belongs to a set at another name than NODE.
 * This set is contested, or has no other mark in the current form of this registry.
 * BY_OURS: considers only sets for which view_set_is_ours_anyway() returns true.
 */
bool view_is_needed(const struct view *view, const struct marking *marking,
                    const struct node *node, bool by_ours);
/* True: zonefleet would read a TXT record with RDATA as a mark. */
bool view_is_mark(const struct view *view, struct rdata rdata);
/*
 * True: a delegation or DNAME hides a set of TYPE at NAME. A delegation of this registry
 * does not hide A and AAAA records (glue).
 */
bool view_is_hidden(const struct view *view, const struct name *name, uint16_t type);
/* Returns an arena that is valid as long as the view. */
struct arena *view_arena(const struct view *view);
