/*
 * catalog -- a server that provisions itself from the pool's catalog zone (RFC 9432):
 * BIND, Knot, PowerDNS and others. It gets no commands. The polls show that it has a new
 * zone or has dropped one; the server has some time for this.
 *
 * So the pool manager cannot order a transfer of a zone. A new label in the catalog zone
 * would cause one, but all its readers would drop the zone first. So the operator gets
 * the commands.
 */
#include "backends/drivers.h"

struct catalog {
	struct server_settings server;
};

static const struct option options[] = {
	DRIVER_COMMON_OPTIONS(struct catalog),
	{ "patience", OPTION_SECONDS, offsetof(struct catalog, server.patience_s), "120",
	  1, 3600,
	  "time limit for a server that reads the catalog. Within this time, the server "
	  "must serve a new zone or remove a deleted zone" },
	{ 0 }
};

static enum err catalog_do_nothing(const void *settings,
                                   const struct driver_context *context,
                                   const struct domain_ref *domain, struct why *why)
{
	(void)settings, (void)context, (void)domain, (void)why;
	return OK;
}

static enum err catalog_retransfer(const void *settings, const struct domain_ref *domain,
                                   struct why *why)
{
	const struct catalog *catalog = settings;
	const char *zone = domain->name;

	return fail(why, ERR_DENIED, "the pool manager sends no commands to %s. To "
	            "transfer the zone again, run one of these commands on the server: "
	            "rndc retransfer %s (BIND), knotc zone-retransfer %s (Knot DNS), "
	            "pdns_control retrieve %s (PowerDNS)",
	            catalog->server.id,
	            zone, zone, zone);
}

const struct driver driver_catalog = {
	.name = "catalog",
	.help = "a server that reads the pool's catalog zone (RFC 9432). The server "
	        "itself creates and deletes the zones in that list",
	.options = options,
	.settings_size = sizeof(struct catalog),
	.by_catalog = true,
	.create = catalog_do_nothing,
	.delete = catalog_do_nothing,
	.retransfer = catalog_retransfer,
};
