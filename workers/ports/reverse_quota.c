#include "reverse_quota.h"

#include <inttypes.h>
#include <string.h>

#include "base/id.h"
#include "base/map.h"
#include "runtime/access.h"

static bool quota_counts(const struct zone_key *zone)
{
	return zone->is_new && *zone->made_for;
}

/* A quota for each tenant that needs new reverse domains; returns their number. */
static size_t quota_collect(const struct ports *ports, const struct record_diff *diff,
                            struct zone_quota *quotas)
{
	struct map *seen = map_new(random_u32());
	size_t count = 0;

	for (size_t i = 0; i < diff->zone_count; i++) {
		const char *project_id = diff->zones[i].made_for;
		struct zone_quota *quota;

		if (!quota_counts(&diff->zones[i]))
			continue;
		quota = map_get(seen, project_id, strlen(project_id));
		if (!quota) {
			quota = &quotas[count++];
			*quota = (struct zone_quota){
				.project_id = project_id,
				.max = ports->settings.quota_reverse,
			};
			map_put(seen, project_id, strlen(project_id), quota);
		}
		quota->needed++;
	}
	map_free(&seen);
	return count;
}

/* Drops quotas without a limit; returns their number. */
static size_t quota_keep_limited(struct zone_quota *quotas, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (quotas[i].max >= 0)
			quotas[kept++] = quotas[i];
	return kept;
}

static void quota_refuse(struct tx *tx, const struct request *req,
                         const struct zone_quota *quota)
{
	if (!access_is_owner(req, quota->project_id))
		tx_fail(tx, ERR_QUOTA, "a port of another tenant needs a new reverse "
		        "domain, but the other tenant has reached its limit of reverse "
		        "domains: ask an administrator");
	else
		tx_fail(tx, ERR_QUOTA, "%" PRId64 " reverse domains of the tenant exist "
		        "or will be created. This call needs %" PRId64 " more, but the "
		        "limit is %" PRId64 " (the tenant's quota of domains, or "
		        "ports.quota_reverse)",
		        quota->count - quota->needed, quota->needed, quota->max);
}

void reverse_quota_check(const struct ports *ports, struct tx *tx,
                         const struct request *req, const struct record_diff *diff)
{
	struct zone_quota *quotas;
	size_t count;

	if (req->context.is_admin || !diff->zone_count || tx->err)
		return;
	quotas = arena_alloc(diff->arena, diff->zone_count * sizeof(*quotas));
	count = quota_collect(ports, diff, quotas);
	store_quotas_read(tx, quotas, count);
	count = quota_keep_limited(quotas, count);
	store_quotas_lock(tx, quotas, count);
	for (size_t i = 0; i < count && !tx->err; i++)
		if (quotas[i].count > quotas[i].max)
			quota_refuse(tx, req, &quotas[i]);
}
