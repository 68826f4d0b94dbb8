/*
 * strategy -- decides which router a route gets (Schedule() in the requirements, seed
 * 003). With `strategy = "external"`, an external scheduler decides. This scheduler calls
 * create_route_binding.
 *
 *	roundrobin	the routers in turn
 *	label		the routers with one of the route's labels, in turn. If no router
 *			has a label of the route, the routers without a label, in turn
 *	leastloaded	the router with the fewest routes
 *	hash		the router that a hash of the route's id selects. If a router is
 *			added or removed, only a few routes get a different router
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * A router that can get a route. A router gets no routes if its capacity is reached or
 * if it has no live instance. With the strategy `label`, a route waits if routers with a
 * label of the route exist, but these routers have no room. The caller locks the
 * positions and raises `bound` for each route that the caller binds.
 */
struct candidate {
	const char *name;
	/* the label as "key=value"; "": the router has no label */
	const char *label;
	uint32_t bound;			/* number of routes that the router has */
	bool has_capacity;
	uint32_t capacity;
	bool is_down;			/* no instance is up */
};

struct applicant {
	const char *id;
	const char *const *labels;	/* labels of the route, each as "key=value" */
	size_t label_count;
};

enum strategy_word {
	STRATEGY_ROUNDROBIN, STRATEGY_LABEL, STRATEGY_LEASTLOADED, STRATEGY_HASH,
	STRATEGY_EXTERNAL
};

struct strategy {
	bool has_position;		/* each pick raises the stored position by one */
	bool by_label;
	/*
	 * Returns the index of a candidate that is in the group (IN_GROUP) and has room.
	 * Returns COUNT if no candidate has room.
	 */
	size_t (*pick)(const struct applicant *applicant,
	               const struct candidate *candidates, const bool *in_group,
	               size_t count, uint64_t position);
};

/* The words of the setting, indexed by enum strategy_word. The last element is NULL. */
extern const char *const strategy_words[];
/* Returns NULL for STRATEGY_EXTERNAL. */
const struct strategy *strategy_at(enum strategy_word word);
const char *strategy_name(const struct strategy *strategy);

/*
 * Returns the label of the routers that fit APPLICANT. "": without by_label, all routers
 * fit; with by_label, only routers that have no label fit. If several labels fit,
 * returns the label of the first router with room. The returned label is also the key of
 * the stored position.
 */
const char *strategy_group(const struct strategy *strategy,
                           const struct applicant *applicant,
                           const struct candidate *candidates, size_t count);
/*
 * Picks a router. CANDIDATES: all routers that accept routes, sorted by name.
 * ERR_UNREACHABLE: no router fits, and *why tells an administrator what to do.
 */
enum err strategy_pick(const struct strategy *strategy, const struct applicant *applicant,
                       const struct candidate *candidates, size_t count,
                       uint64_t position, size_t *picked, struct why *why);
