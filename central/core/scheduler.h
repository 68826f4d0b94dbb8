/*
 * scheduler -- selects the pool of a new domain. The candidates are the pools that the
 * caller may use. The filters in the setting `central.scheduler_filters` remove
 * candidates, one filter after the other. The selection is successful if exactly one
 * candidate is left. The scheduler is pure: the caller passes the random number.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/id.h"
#include "model/attributes.h"

enum { SCHEDULER_FILTERS_MAX = 16 };

struct candidate {
	char id[ID_LEN + 1];
	const char *name;
	struct attributes attributes;
	int64_t capacity;		/* maximum number of domains; -1: no limit */
	int64_t domains;		/* number of domains at the last count */
	bool is_default;		/* the pool is central.default_pool */
};

/* What a call says about the pool of its new domain, and the filters. */
struct placement {
	const char *pool;	/* name of the pool; NULL: the call names no pool */
	struct attributes attributes;	/* attributes of the new domain */
	uint32_t random;		/* any number, for the filter `random` */
	/* names that scheduler_check() has accepted */
	const char *const *filters;
	size_t filter_count;
};

/* The candidates before and after a filter. */
struct candidates {
	const struct candidate *all;	/* all candidates, including the removed ones */
	size_t all_count;
	/* the candidates that no filter has removed, in the order of `all` */
	const struct candidate **left;
	size_t count;
};

struct scheduler_filter {
	const char *name;
	void (*run)(const struct placement *placement, struct candidates *candidates);
	/* what a caller can do if the filter removes the last candidate */
	const char *remedy;
};
extern const struct scheduler_filter scheduler_filters[];	/* ends with zeroes */

/*
 * Checks the names of filters in a setting. ERR_INVALID: the list is empty or has more
 * than SCHEDULER_FILTERS_MAX names, or a name is not in scheduler_filters[]. The reason
 * begins with FIELD.
 */
enum err scheduler_check(const char *const *filters, size_t count, const char *field,
                         struct why *why);
/*
 * Selects one of the CANDIDATES (`all`). ERR_INVALID: PLACEMENT names a pool, but its
 * filters do not contain `pool_id`. ERR_NO_POOL: no candidate is left; the reason names
 * the filter that removed the last candidate. ERR_SEVERAL_POOLS: several candidates are
 * left.
 */
enum err scheduler_select(const struct placement *placement,
                          struct candidates *candidates, struct arena *arena,
                          const struct candidate **selected, struct why *why);
