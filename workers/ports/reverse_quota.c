#include "reverse_quota.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/access.h"

static bool is_counted(const struct zone_key *zone)
{
	return zone->is_new && *zone->made_for;
}

/*
 * How many new reverse domains CHANGE needs for the project of the zone at INDEX. 0: a
 * zone before INDEX has the same project, which is counted already.
 */
static int64_t count_needed(const struct change *change, size_t index)
{
	const struct zone_key *zones = change->zones;
	int64_t needed = 0;

	for (size_t i = 0; i < change->zone_count; i++) {
		if (!is_counted(&zones[i]) ||
		    strcmp(zones[i].made_for, zones[index].made_for))
			continue;
		if (i < index)
			return 0;
		needed++;
	}
	return needed;
}

static void refuse(struct tx *tx, const struct request *req, const char *project_id,
                   int64_t was, int64_t needed, int64_t max)
{
	if (!access_is_owner(req, project_id))
		tx_fail(tx, ERR_QUOTA, "a port of another project needs a reverse domain, "
		        "and the quota of that project is used up");
	else
		tx_fail(tx, ERR_QUOTA, "%" PRId64 " reverse domains of the project exist or "
		        "are to be made, and this needs %" PRId64 " more: the limit is %"
		        PRId64 " (the project's quota of domains, or ports.quota_reverse)",
		        was, needed, max);
}

static void check_project(const struct ports *ports, struct tx *tx,
                          const struct request *req, const char *project_id,
                          int64_t needed)
{
	int64_t max = ports->settings.quota_reverse, count;

	store_domain_quota(tx, project_id, &max);
	if (max < 0 || tx->err)
		return;
	store_quota_lock(tx, project_id);
	count = store_zones_count(tx, project_id);
	if (!tx->err && count > max)
		refuse(tx, req, project_id, count - needed, needed, max);
}

void reverse_quota_check(const struct ports *ports, struct tx *tx,
                         const struct request *req, const struct change *change)
{
	if (req->context.is_admin)
		return;
	for (size_t i = 0; i < change->zone_count && !tx->err; i++) {
		int64_t needed = is_counted(&change->zones[i]) ? count_needed(change, i) : 0;

		if (needed)
			check_project(ports, tx, req, change->zones[i].made_for, needed);
	}
}
