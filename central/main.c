#include <stddef.h>

#include "catalog.h"
#include "central.h"
#include "codec.h"
#include "consistency/member.h"
#include "consistency/queue_watch.h"
#include "core/scheduler.h"
#include "core/zone.h"
#include "import.h"
#include "model/rr.h"
#include "runtime/offload.h"
#include "service.h"
#include "sweep.h"

static struct central central = { .catalog_repair_ms = 5000, .import_look_ms = 5000 };

#define CONFIG(field) offsetof(struct central, config.field)

static const struct option options[] = {
	{ "default_pool",  OPTION_TEXT,  CONFIG(default_pool), "default", 1,
	  POOL_NAME_MAX,
	  "pool for the filters default and fallback in scheduler_filters. At startup, "
	  "central creates this pool if the pool does not exist", .reloadable = true },
	{ "tenant_pools",  OPTION_TEXTS, CONFIG(tenant_pools), "", 1, POOL_NAME_MAX,
	  "pools in which tenants can create domains, in addition to default_pool. "
	  "\"*\": all pools. Administrators can create domains in any pool",
	  .reloadable = true },
	{ "scheduler_filters", OPTION_TEXTS, CONFIG(scheduler_filters),
	  "pool_id, default", 1, 64,
	  "filters that select the pool of a new domain: attribute, pool_id, capacity, "
	  "random, default, fallback (docs/operate.md). central applies the filters in "
	  "the order of this list. After the last filter, exactly one pool must be left",
	  .reloadable = true },
	{ "ns_records",    OPTION_TEXTS, CONFIG(ns_records), NULL, 0, 0,
	  "host names of the default pool's name servers. central writes these names "
	  "into the NS records at the apex of new domains. At startup, central reads "
	  "this setting only if the pool has no NS records. To change the NS records "
	  "later, use `zonefleet pool set`" },
	{ "hostmaster",    OPTION_TEXT,  CONFIG(hostmaster), "hostmaster@example.org", 3,
	  EMAIL_MAX,
	  "email address in the SOA record (RNAME) of a new domain if the call gives no "
	  "address", .reloadable = true },
	{ "default_ttl",   OPTION_SECONDS, CONFIG(default_ttl), "3600", 0, RR_TTL_MAX,
	  "TTL of a new domain if the call gives no TTL", .reloadable = true },
	{ "min_ttl",       OPTION_SECONDS, CONFIG(min_ttl), "0", 0, RR_TTL_MAX,
	  "lowest TTL that a caller may set. Administrators may set any TTL",
	  .reloadable = true },
	{ "soa_refresh",   OPTION_SECONDS, CONFIG(soa_refresh), "3600", 1, RR_TTL_MAX,
	  "default refresh time in the SOA record of a new domain", .reloadable = true },
	{ "soa_retry",     OPTION_SECONDS, CONFIG(soa_retry), "600", 1, RR_TTL_MAX,
	  "default retry time in the SOA record of a new domain", .reloadable = true },
	{ "soa_expire",    OPTION_SECONDS, CONFIG(soa_expire), "86400", 1, RR_TTL_MAX,
	  "default expiry time in the SOA record of a new domain", .reloadable = true },
	{ "soa_minimum",   OPTION_SECONDS, CONFIG(soa_minimum), "3600", 0, RR_TTL_MAX,
	  "default minimum in the SOA record of a new domain. The minimum is the TTL of "
	  "negative answers",
	  .reloadable = true },
	{ "quota_domains", OPTION_INT,   CONFIG(quota_domains), "1000", -1, INT32_MAX,
	  "largest number of domains of one tenant. -1: no limit. The limit does not "
	  "apply to administrators. `zonefleet quota set` sets a different limit for one "
	  "tenant", .reloadable = true },
	{ "quota_recordsets", OPTION_INT, CONFIG(quota_recordsets), "10000", -1,
	  INT32_MAX,
	  "largest number of record sets of one domain. -1: no limit. The limit does not "
	  "apply to administrators", .reloadable = true },
	{ "quota_domain_records", OPTION_INT, CONFIG(quota_domain_records), "100000", -1,
	  INT32_MAX,
	  "largest number of records of one domain. -1: no limit. The limit does not "
	  "apply to administrators", .reloadable = true },
	{ "quota_records", OPTION_INT,   CONFIG(quota_records), "100", -1, INT32_MAX,
	  "largest number of records of one record set. -1: no limit. The limit does not "
	  "apply to administrators", .reloadable = true },
	{ "quota_export_recordsets", OPTION_INT, CONFIG(quota_export_recordsets), "-1",
	  -1, INT32_MAX,
	  "largest number of record sets of a domain that a tenant can export "
	  "(`zonefleet domain export`). -1: no limit. The limit does not apply to "
	  "administrators", .reloadable = true },
	{ "quota_imports", OPTION_INT,   CONFIG(quota_imports), "100", -1, INT32_MAX,
	  "largest number of unfinished imports of one tenant. -1: no limit. The limit "
	  "does not apply to administrators", .reloadable = true },
	{ "quota_import_records", OPTION_INT, CONFIG(quota_import_records), "1000000", -1,
	  INT32_MAX,
	  "largest total number of records in the unfinished imports of one tenant. -1: "
	  "no limit. The limit does not apply to administrators",
	  .reloadable = true },
	{ "journal_change_bytes", OPTION_BYTES, CONFIG(journal_change_bytes), "1M", 0,
	  8 << 20,
	  "largest size of a change in the journal. After a larger change, name servers "
	  "transfer the whole zone",
	  .reloadable = true },
	{ "journal_domain_bytes", OPTION_BYTES, CONFIG(journal_domain_bytes), "16M",
	  1 << 16, 1 << 30,
	  "largest size of the journal of one domain. If a journal grows larger, central "
	  "removes the oldest changes of the journal. mini-DNS reads at most 16M of a "
	  "journal",
	  .reloadable = true },
	{ "journal_age",   OPTION_SECONDS, CONFIG(journal_age_s), "7d", 60, RR_TTL_MAX,
	  "time that a change stays in the journal. During this time, name servers can "
	  "transfer the change (IXFR) instead of the whole zone",
	  .reloadable = true },
	{ "tombstone_age", OPTION_SECONDS, CONFIG(tombstone_age_s), "1d", 60, RR_TTL_MAX,
	  "time that deleted domains and records stay in the database",
	  .reloadable = true },
	{ "request_age",   OPTION_SECONDS, CONFIG(request_age_s), "1d", 60, RR_TTL_MAX,
	  "time that central stores its answers. If the same call arrives again within "
	  "this time, central repeats the first answer", .reloadable = true },
	{ "import_age",    OPTION_SECONDS, CONFIG(import_age_s), "1d", 60, RR_TTL_MAX,
	  "longest time without activity in an unfinished import. After this time, "
	  "central removes the import. central keeps the result of a finished import "
	  "for the same time",
	  .reloadable = true },
	{ "sweep",         OPTION_DURATION, CONFIG(sweep_ms), "60s", 100, 86400 * 1000,
	  "time between two cleanups of the database. Each cleanup deletes a limited "
	  "number of old rows. It also compares the numbers of domains of at most 200 "
	  "tenants with their domains, and corrects wrong numbers", .reloadable = true },
	{ 0 }
};

static const struct option_section sections[] = {
	{ "central", "the domains, record sets and records", options, &central },
	{ 0 }
};

/* Checks, at the start, settings whose errors only the first domain would show. */
static enum err central_check(void *self, struct why *why)
{
	const struct central *c = self;
	const struct option_texts *filters = &c->config.scheduler_filters;
	struct name name;
	enum err err = email_to_name(c->config.hostmaster, "central.hostmaster", &name,
	                             why);

	if (c->config.ns_records.count > POOL_NS_MAX)
		return fail(why, ERR_INVALID, "central.ns_records: must have at most %d "
		            "hosts, not %zu", POOL_NS_MAX, c->config.ns_records.count);
	for (size_t i = 0; !err && i < c->config.ns_records.count; i++)
		err = name_parse_owner(c->config.ns_records.item[i], "central.ns_records",
		                       &name, why);
	return err ? err : scheduler_check((const char *const *)filters->item,
	                                   filters->count,
	                                   "central.scheduler_filters", why);
}

static enum err central_start(void *self, const struct runtime *runtime, struct why *why)
{
	struct central *c = self;

	enum err err;

	c->runtime = runtime;
	err = service_pool_default(c, why);
	if (err)
		return err;
	catalog_start(c);
	import_start(c);
	sweep_start(c);
	return OK;
}

/* A running commit is a transaction: it may end here, or another process continues it. */
static bool central_idle(const void *self)
{
	const struct central *c = self;

	return (!c->import_lane || !lane_waiting(c->import_lane)) && catalog_idle(c);
}

static void central_stop(void *self)
{
	sweep_stop(self);
	import_stop(self);
	catalog_stop(self);
}

static enum err central_prepare(void *self, int processes, struct why *why)
{
	static const char *const topics[] = { "central", "minidns", NULL };

	(void)self, (void)processes, (void)why;
	queue_watch_metrics(topics, true);
	service_metrics();
	return OK;
}

static const struct timer timers[] = {
	{ "sweep", &central.config.sweep_ms, sweep_fire },
	{ "catalog", &central.catalog_repair_ms, catalog_fire },
	{ "imports", &central.import_look_ms, import_fire },
	{ 0 }
};

static const char *const tables[] = {
	"blacklists", "distributed_locks", "domain_shares",
	"domain_transfers", "domains",
	"import_records", "imports",
	"journal", "last_serials", "object_versions", "pool_manager_status",
	"pool_ns_records", "pool_servers", "pools", "quotas", "records",
	"recordsets", "repair_log", "repairs", "requests", "schema_migrations",
	"tenant_usage", "tlds", "tsigkeys", "worker_nodes", NULL
};

int main(int argc, char **argv)
{
	struct worker worker = {
		.name = "central",
		.fleet = true,
		.tables = tables,
		.summary = "manages domains and records, and sends changes to the "
		           "pool managers",
		.sections = sections,
		.methods = service_methods(),
		.timers = timers,
		.part = &member_part,
		.recovery = true,
		.check = central_check,
		.prepare = central_prepare,
		.start = central_start,
		.idle = central_idle,
		.stop = central_stop,
		.self = &central,
	};

	return worker_main(argc, argv, &worker);
}
