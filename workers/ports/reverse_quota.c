#include "reverse_quota.h"

#include <inttypes.h>

static bool needs_reverse(const struct change *change)
{
	for (size_t i = 0; i < change->zone_count; i++)
		if (change->zones[i].made_for)
			return true;
	return false;
}

void reverse_quota_check(const struct ports *ports, struct tx *tx,
                         const struct request *req, const char *project_id,
                         const struct change *change)
{
	int64_t max = ports->settings.quota_reverse, made, coming;

	if (tx->err || req->context.is_admin || !needs_reverse(change))
		return;
	store_domain_quota(tx, project_id, &max);
	if (max < 0 || tx->err)
		return;
	store_zones_count(tx, project_id, &made, &coming);
	if (!tx->err && coming && made + coming > max)
		tx_fail(tx, ERR_QUOTA, "%" PRId64 " reverse domains of the project exist, and "
		        "this needs %" PRId64 " more: the limit is %" PRId64 " (the "
		        "project's quota of domains, or ports.quota_reverse)",
		        made, coming, max);
}
