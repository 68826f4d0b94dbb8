#include "placement.h"

#include <string.h>

#include "base/id.h"
#include "central.h"
#include "core/scheduler.h"
#include "store.h"

static bool placement_is_open(const struct write *write, const char *pool)
{
	const struct option_texts *open = &write->central->config.tenant_pools;

	if (write->req->context.is_admin ||
	    !strcmp(pool, write->central->config.default_pool))
		return true;
	for (size_t i = 0; i < open->count; i++)
		if (!strcmp(open->item[i], "*") || !strcmp(open->item[i], pool))
			return true;
	return false;
}

enum err placement_check(struct write *write, const struct domain_spec *spec)
{
	if (!spec->pool || placement_is_open(write, spec->pool))
		return OK;
	return fail(&write->req->why, ERR_DENIED,
	            "domain.pool: a tenant may use only the default pool and the "
	            "pools in central.tenant_pools, not '%.64s'", spec->pool);
}

static enum err placement_get(struct write *write, const char *name, struct pool *pool)
{
	if (store_pool_get(write->tx, "", name, write->arena, pool))
		return OK;
	return tx_fail(write->tx, ERR_INVALID, "domain.pool: there is no pool '%.64s'",
	               name);
}

/* Removes the pools that the caller cannot use. */
static void placement_keep_open(const struct write *write, struct candidate *pools,
                                size_t *count)
{
	size_t kept = 0;

	for (size_t i = 0; i < *count; i++)
		if (placement_is_open(write, pools[i].name))
			pools[kept++] = pools[i];
	*count = kept;
}

static void placement_mark_default(const struct write *write, struct candidate *pools,
                                   size_t count)
{
	for (size_t i = 0; i < count; i++)
		pools[i].is_default = !strcmp(pools[i].name,
		                              write->central->config.default_pool);
}

static bool placement_is_known(const struct candidate *pools, size_t count,
                               const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(pools[i].name, name))
			return true;
	return false;
}

static enum err placement_schedule(struct write *write, const struct domain_spec *spec,
                                   const char **name)
{
	const struct option_texts *filters = &write->central->config.scheduler_filters;
	struct placement placement = {
		.pool = spec->pool, .random = random_u32(),
		.filters = (const char *const *)filters->item,
		.filter_count = filters->count,
	};
	const struct candidate *selected;
	struct candidates candidates;
	struct candidate *pools;
	enum err err;

	candidates.all_count = store_pool_candidates(write->tx, write->arena, &pools);
	if (write->tx->err)
		return write->tx->err;
	placement_keep_open(write, pools, &candidates.all_count);
	placement_mark_default(write, pools, candidates.all_count);
	candidates.all = pools;
	if (spec->pool && !placement_is_known(pools, candidates.all_count, spec->pool))
		return fail(&write->req->why, ERR_INVALID,
		            "domain.pool: there is no pool '%.64s'", spec->pool);
	bug_if(!attributes_parse(spec->attributes ? spec->attributes : "", write->arena,
	                         &placement.attributes));
	err = scheduler_select(&placement, &candidates, write->arena, &selected,
	                       &write->req->why);
	if (!err)
		*name = selected->name;
	return err;
}

enum err placement_select(struct write *write, const struct domain_spec *spec,
                          struct pool *pool)
{
	const char *name = spec->pool;
	enum err err = spec->is_catalog ? OK : placement_schedule(write, spec, &name);

	return err ? err : placement_get(write, name, pool);
}
