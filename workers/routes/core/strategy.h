/*
 * strategy -- which router a route gets: rows of a table (seed 003: a pluggable strategy,
 * Schedule(route) -> (router, error)). Whoever has one of his own sets
 * `strategy = "external"` and makes bindings by the call create_route_binding.
 *
 *	roundrobin	one after the other
 *	label		of the routers whose label the route has, one after the other (of several
 *			labels, one whose routers have room); if it has none of theirs, of
 *			those without one
 *	leastloaded	the one with the fewest routes
 *	hash		by the route's id: the same one whenever it is asked, and few change
 *			when a router comes or goes
 *
 * A router that has as many routes as its capacity gets no more, nor does one of which no
 * instance is up; by that, a route has no other label's routers. Pure: whoever calls has
 * locked the positions, and counts what was bound.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct candidate {
	const char *name;
	const char *label;		/* "key=value"; "": none */
	uint32_t bound;			/* routes it has */
	bool has_capacity;
	uint32_t capacity;
	bool is_down;			/* no instance of it is up */
};

struct applicant {
	const char *id;
	const char *const *labels;	/* "key=value" */
	size_t label_count;
};

enum strategy_word {
	STRATEGY_ROUNDROBIN, STRATEGY_LABEL, STRATEGY_LEASTLOADED, STRATEGY_HASH,
	STRATEGY_EXTERNAL
};

struct strategy {
	bool has_position;		/* moves one on with each pick */
	/* The group of CANDIDATES that is asked is marked in IS_OF. */
	bool by_label;
	/* The index of one that IS_OF and has room; COUNT: none. */
	size_t (*pick)(const struct applicant *applicant,
	               const struct candidate *candidates, const bool *is_of,
	               size_t count, uint64_t position);
};

/* The words of the setting, by enum strategy_word; ends with NULL. */
extern const char *const strategy_words[];
/* NULL: STRATEGY_EXTERNAL, so another program decides. */
const struct strategy *strategy_at(enum strategy_word word);
const char *strategy_name(const struct strategy *strategy);

/*
 * The label of the group of routers that APPLICANT is for, as positions are kept by it.
 * "": all of them, or those without a label.
 */
const char *strategy_group(const struct strategy *strategy,
                           const struct applicant *applicant,
                           const struct candidate *candidates, size_t count);
/*
 * CANDIDATES, sorted by name, are those that take routes at all. ERR_UNREACHABLE: there
 * is none that fits, in words for administrators.
 */
enum err strategy_pick(const struct strategy *strategy, const struct applicant *applicant,
                       const struct candidate *candidates, size_t count,
                       uint64_t position, size_t *picked, struct why *why);
