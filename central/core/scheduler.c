#include "core/scheduler.h"

#include <stdio.h>
#include <string.h>

static void candidates_keep(const struct placement *placement,
                            struct candidates *candidates,
                            bool (*test)(const struct placement *placement,
                                         const struct candidate *candidate))
{
	size_t kept = 0;

	for (size_t i = 0; i < candidates->count; i++)
		if (test(placement, candidates->left[i]))
			candidates->left[kept++] = candidates->left[i];
	candidates->count = kept;
}

/* ---- the filters ---- */

static bool candidate_has_attributes(const struct placement *placement,
                                     const struct candidate *candidate)
{
	return attributes_cover(&candidate->attributes, &placement->attributes);
}

static void filter_attribute(const struct placement *placement,
                             struct candidates *candidates)
{
	candidates_keep(placement, candidates, candidate_has_attributes);
}

static bool candidate_is_named(const struct placement *placement,
                               const struct candidate *candidate)
{
	return !placement->pool || !strcmp(placement->pool, candidate->name);
}

static void filter_pool_id(const struct placement *placement,
                           struct candidates *candidates)
{
	candidates_keep(placement, candidates, candidate_is_named);
}

static bool candidate_has_room(const struct placement *placement,
                               const struct candidate *candidate)
{
	(void)placement;
	return candidate->capacity < 0 || candidate->domains < candidate->capacity;
}

static void filter_capacity(const struct placement *placement,
                            struct candidates *candidates)
{
	candidates_keep(placement, candidates, candidate_has_room);
}

static void filter_random(const struct placement *placement,
                          struct candidates *candidates)
{
	if (!candidates->count)
		return;
	candidates->left[0] = candidates->left[placement->random % candidates->count];
	candidates->count = 1;
}

static bool candidate_is_default(const struct placement *placement,
                                 const struct candidate *candidate)
{
	(void)placement;
	return candidate->is_default;
}

static void filter_default(const struct placement *placement,
                           struct candidates *candidates)
{
	for (size_t i = 0; i < candidates->count; i++)
		if (candidates->left[i]->is_default) {
			candidates_keep(placement, candidates, candidate_is_default);
			return;
		}
}

static void filter_fallback(const struct placement *placement,
                            struct candidates *candidates)
{
	if (placement->pool)
		return;
	for (size_t i = 0; !candidates->count && i < candidates->all_count; i++)
		if (candidates->all[i].is_default)
			candidates->left[candidates->count++] = &candidates->all[i];
}

const struct scheduler_filter scheduler_filters[] = {
	{ "attribute", filter_attribute,
	  "change the attributes of the domain or of a pool" },
	{ "pool_id",   filter_pool_id,  "name a different pool" },
	{ "capacity",  filter_capacity,
	  "an administrator can increase the capacity of a pool" },
	{ "random",    filter_random,   "" },
	{ "default",   filter_default,  "" },
	{ "fallback",  filter_fallback, "" },
	{ 0 }
};

/* ---- the selection ---- */

static const struct scheduler_filter *filter_find(const char *name)
{
	for (const struct scheduler_filter *row = scheduler_filters; row->name; row++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

/* Writes the names of all filters to TEXT. */
static void filter_list(char *text, size_t size)
{
	size_t len = 0;

	for (const struct scheduler_filter *row = scheduler_filters; row->name; row++)
		len += (size_t)snprintf(text + len, size - len, "%s%s",
		                        row == scheduler_filters ? "" : ", ", row->name);
}

enum err scheduler_check(const char *const *filters, size_t count, const char *field,
                         struct why *why)
{
	char names[128];

	if (!count || count > SCHEDULER_FILTERS_MAX)
		return fail(why, ERR_INVALID, "%s: must have 1 to %d filters, not %zu",
		            field, SCHEDULER_FILTERS_MAX, count);
	filter_list(names, sizeof names);
	for (size_t i = 0; i < count; i++)
		if (!filter_find(filters[i]))
			return fail(why, ERR_INVALID,
			            "%s: must contain only the filters %s, not '%s'",
			            field, names,
			            err_quote(filters[i], (char[65]){ 0 }, 65));
	return OK;
}

static bool scheduler_can_name(const struct placement *placement)
{
	for (size_t i = 0; i < placement->filter_count; i++)
		if (!strcmp(placement->filters[i], "pool_id"))
			return true;
	return false;
}

/* Returns the filter that removed the last candidate. NULL: a candidate is left. */
static const struct scheduler_filter *scheduler_run(const struct placement *placement,
                                                    struct candidates *candidates)
{
	const struct scheduler_filter *last = NULL;

	for (size_t i = 0; i < placement->filter_count; i++) {
		const struct scheduler_filter *filter =
		    filter_find(placement->filters[i]);
		size_t before = candidates->count;

		filter->run(placement, candidates);
		if (before && !candidates->count)
			last = filter;
	}
	return candidates->count ? NULL : last;
}

/* LAST: the filter that removed the last candidate; NULL: there was no candidate. */
static enum err scheduler_fail_none(const struct scheduler_filter *last, struct why *why)
{
	if (!last)
		return fail(why, ERR_NO_POOL, "there is no pool that the caller can use");
	return fail(why, ERR_NO_POOL,
	            "no pool is left, because the filter '%s' of "
	            "central.scheduler_filters has removed the last pool: %s",
	            last->name, last->remedy);
}

enum err scheduler_select(const struct placement *placement,
                          struct candidates *candidates, struct arena *arena,
                          const struct candidate **selected, struct why *why)
{
	const struct scheduler_filter *last;

	if (placement->pool && !scheduler_can_name(placement))
		return fail(why, ERR_INVALID, "domain.pool: must be absent, because "
		            "central.scheduler_filters has no filter 'pool_id'");
	candidates->left = arena_alloc(arena, (candidates->all_count + 1) *
	                                      sizeof(*candidates->left));
	for (size_t i = 0; i < candidates->all_count; i++)
		candidates->left[i] = &candidates->all[i];
	candidates->count = candidates->all_count;
	last = scheduler_run(placement, candidates);
	if (!candidates->count)
		return scheduler_fail_none(last, why);
	if (candidates->count > 1)
		return fail(why, ERR_SEVERAL_POOLS,
		            "the filters of central.scheduler_filters leave %zu pools: "
		            "%sadd the filter 'random' or 'default' at the end of the "
		            "setting", candidates->count,
		            scheduler_can_name(placement)
		                    ? "give the name of a pool, or " : "");
	*selected = candidates->left[0];
	return OK;
}
