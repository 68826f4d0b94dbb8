#include "core/scheduler.h"

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
	(void)placement;
	for (size_t i = 0; !candidates->count && i < candidates->all_count; i++)
		if (candidates->all[i].is_default)
			candidates->left[candidates->count++] = &candidates->all[i];
}

const struct scheduler_filter scheduler_filters[] = {
	{ "attribute", "keeps the pools that have all attributes of the domain",
	  "change the attributes of the domain or of a pool", filter_attribute },
	{ "pool_id", "keeps the pool that the call names. If the call names no pool, "
	  "keeps all pools", "name a different pool", filter_pool_id },
	{ "capacity", "removes the pools whose number of domains has reached their "
	  "capacity", "an administrator can increase the capacity of a pool",
	  filter_capacity },
	{ "random", "keeps one of the pools, which it selects at random", "",
	  filter_random },
	{ "default", "keeps only the default pool if no earlier filter has removed "
	  "this pool. Otherwise, keeps all pools", "", filter_default },
	{ "fallback", "adds the default pool if the earlier filters have removed all "
	  "pools", "", filter_fallback },
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

enum err scheduler_check(const char *const *filters, size_t count, const char *field,
                         struct why *why)
{
	if (!count || count > SCHEDULER_FILTERS_MAX)
		return fail(why, ERR_INVALID, "%s: must have 1 to %d filters, not %zu",
		            field, SCHEDULER_FILTERS_MAX, count);
	for (size_t i = 0; i < count; i++)
		if (!filter_find(filters[i]))
			return fail(why, ERR_INVALID,
			            "%s: must contain only the filters attribute, "
			            "pool_id, capacity, random, default and fallback, "
			            "not '%s'", field,
			            err_quote(filters[i], (char[65]){ 0 }, 65));
	return OK;
}

static bool scheduler_has_filter(const char *const *filters, size_t count,
                                 const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(filters[i], name))
			return true;
	return false;
}

/* Returns the filter that removed the last candidate. NULL: a candidate is left. */
static const struct scheduler_filter *scheduler_run(const struct placement *placement,
                                                    struct candidates *candidates,
                                                    const char *const *filters,
                                                    size_t count)
{
	const struct scheduler_filter *culprit = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct scheduler_filter *filter = filter_find(filters[i]);
		size_t before = candidates->count;

		filter->run(placement, candidates);
		if (before && !candidates->count)
			culprit = filter;
	}
	return candidates->count ? NULL : culprit;
}

/* CULPRIT: the filter that removed the last candidate; NULL: there was no candidate. */
static enum err scheduler_fail_none(const struct scheduler_filter *culprit,
                                    struct why *why)
{
	if (!culprit)
		return fail(why, ERR_NO_POOL, "domain.pool: there is no pool that the "
		            "caller may use");
	return fail(why, ERR_NO_POOL,
	            "domain.pool: no pool is left, because the filter '%s' of "
	            "central.scheduler_filters has removed the last pool: %s",
	            culprit->name, culprit->remedy);
}

enum err scheduler_select(const struct placement *placement,
                          struct candidates *candidates, const char *const *filters,
                          size_t count, struct arena *arena,
                          const struct candidate **selected, struct why *why)
{
	const struct scheduler_filter *culprit;

	if (placement->pool && !scheduler_has_filter(filters, count, "pool_id"))
		return fail(why, ERR_INVALID, "domain.pool: must be absent, because "
		            "central.scheduler_filters has no filter 'pool_id'");
	candidates->left = arena_alloc(arena, (candidates->all_count + 1) *
	                                      sizeof(*candidates->left));
	for (size_t i = 0; i < candidates->all_count; i++)
		candidates->left[i] = &candidates->all[i];
	candidates->count = candidates->all_count;
	culprit = scheduler_run(placement, candidates, filters, count);
	if (!candidates->count)
		return scheduler_fail_none(culprit, why);
	if (candidates->count > 1)
		return fail(why, ERR_SEVERAL_POOLS,
		            "domain.pool: the filters of central.scheduler_filters leave "
		            "%zu pools: give the name of a pool, or add the filter "
		            "'random' or 'default' at the end of the setting",
		            candidates->count);
	*selected = candidates->left[0];
	return OK;
}
