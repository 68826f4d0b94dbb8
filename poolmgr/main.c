#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adjust.h"
#include "base/log.h"
#include "base/mem.h"
#include "connect.h"
#include "consistency/member.h"
#include "consistency/queue_watch.h"
#include "follow_up.h"
#include "full_scan.h"
#include "health.h"
#include "model/identity.h"
#include "operation.h"
#include "peers.h"
#include "poolmgr.h"
#include "recompare.h"
#include "registration.h"
#include "release.h"
#include "repair.h"
#include "retry.h"
#include "server_check.h"
#include "servers.h"
#include "sync.h"

static struct poolmgr poolmgr = { .retry_period_ms = 1000, .scan_period_ms = 1000 };

#define AT(field) offsetof(struct poolmgr, config.field)

static const char *const lock_scopes[] = {
	[LOCK_DOMAIN] = "domain", [LOCK_TENANT] = "tenant", NULL
};

static const struct option options[] = {
	{ "pool_name", OPTION_TEXT, AT(pool_name), "default", 1, 64,
	  "name of the pool that this pool manager manages" },
	{ "threshold_percentage", OPTION_PERCENT, AT(threshold_percentage), "100", 1, 100,
	  "percentage of the pool's name servers that must serve a change before the "
	  "domain becomes ACTIVE", .reloadable = true },
	{ "poll_timeout", OPTION_DURATION, AT(poll_timeout_ms), "30s", 50, 600 * 1000,
	  "time limit for one answer from a name server", .reloadable = true },
	{ "poll_retry_interval", OPTION_DURATION, AT(poll_retry_interval_ms), "2s", 50,
	  600 * 1000,
	  "pause between two attempts to get an answer from a name server",
	  .reloadable = true },
	{ "poll_max_retries", OPTION_INT, AT(poll_max_retries), "3", 1, 100,
	  "largest number of attempts to find a new serial on a name server. If the last "
	  "attempt does not find the serial, the poll fails. The same limit applies to "
	  "the attempts to send a NOTIFY message", .reloadable = true },
	{ "periodic_sync_interval", OPTION_DURATION, AT(periodic_sync_interval_ms),
	  "120s", 200, 86400 * 1000,
	  "time between two syncs. A sync compares the name servers with the database",
	  .reloadable = true },
	{ "sync_batch", OPTION_INT, AT(sync_batch), "1000", 1, 100000,
	  "largest number of domains per name server in one sync. The next sync "
	  "continues with the remaining domains", .reloadable = true },
	{ "compare_every", OPTION_INT, AT(compare_every), "10", 0, 10000,
	  "number of syncs for one full comparison. During these syncs, the pool "
	  "manager compares the records of each domain on all name servers once. The "
	  "pool manager also looks for orphan zones on each name server at least once. "
	  "0: the pool manager compares only serials, and does not look for orphan zones",
	  .reloadable = true },
	{ "server_check_interval", OPTION_DURATION, AT(server_check_interval_ms), "15s",
	  1000, 86400 * 1000,
	  "time between two checks of a name server. In a check, mini-DNS sends one "
	  "query to the name server. So the pool manager notices a failure even if no "
	  "domain changes. If a name server does not answer, the time between two "
	  "checks is at most 5s", .reloadable = true },
	{ "lock_scope", OPTION_WORD, AT(lock_scope), "domain", .words = lock_scopes,
	  .help = "scope of the lock for a driver operation. A process holds the lock "
	  "while it creates or deletes a zone on a name server. domain: the lock covers "
	  "only the domain; tenant: the lock covers all domains of the tenant. With "
	  "tenant, two processes can change the same zone for a moment after a domain "
	  "gets another tenant" },
	{ "masters", OPTION_TEXTS, AT(masters), "127.0.0.1:5354", 0, 0,
	  "addresses and ports at which the name servers reach mini-DNS",
	  .required = true },
	{ "also_notifies", OPTION_TEXTS, AT(also_notifies), NULL, 0, 0,
	  "addresses and ports of additional servers. mini-DNS sends each NOTIFY "
	  "message to these servers, but does not poll them. Also list the addresses of "
	  "these servers in minidns.allow_transfer" },
	{ 0 }
};

static const struct option_section sections[] = {
	{ "poolmgr", "the pool manager, which manages the name servers of one pool",
	  options, &poolmgr },
	{ 0 }
};

static void scan_timer_fire(void *self)
{
	struct poolmgr *pm = self;

	adjust_fire(pm);
	full_scan_fire(pm->scan);
	recompare_fire(pm->recompare);
}

static void retry_timer_fire(void *self)
{
	const struct poolmgr *pm = self;

	retry_fire(pm->retry);
	server_check_fire(pm->server_check);
}

static void sync_timer_fire(void *self)
{
	sync_fire(((struct poolmgr *)self)->sync);
}

static const struct timer timers[] = {
	{ "sync", &poolmgr.config.periodic_sync_interval_ms, sync_timer_fire },
	{ "patrol", &poolmgr.scan_period_ms, scan_timer_fire },
	{ "retry", &poolmgr.retry_period_ms, retry_timer_fire },
	{ 0 }
};

static const char *poolmgr_topic(const void *self)
{
	static char name[80];

	snprintf(name, sizeof(name), "pool_manager.%s",
	         ((const struct poolmgr *)self)->config.pool_name);
	return name;
}

static enum err poolmgr_parse_endpoints(const struct option_texts *texts,
                                        uint16_t default_port, const char *field,
                                        struct endpoint **endpoints, struct why *why)
{
	*endpoints = xcalloc(texts->count + 1, sizeof(**endpoints));
	for (size_t i = 0; i < texts->count; i++) {
		enum err err = endpoint_parse(texts->item[i], default_port, field,
		                              &(*endpoints)[i], why);

		if (err)
			return err;
	}
	return OK;
}

static enum err poolmgr_check(void *self, struct why *why)
{
	struct poolmgr *pm = self;
	enum err err = identity_check(pm->config.pool_name, "poolmgr.pool_name", why);

	if (err || pm->servers)	/* a reload does not change the rest */
		return err;
	err = poolmgr_parse_endpoints(&pm->config.masters, 0, "poolmgr.masters",
	                              &pm->masters, why);
	if (!err && pm->config.masters.count == 0)
		err = fail(why, ERR_INVALID, "poolmgr.masters: must list at least "
		           "one address:port of mini-DNS");
	if (!err)
		err = poolmgr_parse_endpoints(&pm->config.also_notifies, 53,
		                              "poolmgr.also_notifies", &pm->also, why);
	if (!err)
		err = servers_build(&pm->servers, why);
	if (!err)
		adjust_prepare(pm);
	return err;
}

static void poolmgr_connect(void *self, struct connect_check *check)
{
	connect_add(self, check);
}

static enum err poolmgr_prepare(void *self, int processes, struct why *why)
{
	struct poolmgr *pm = self;

	(void)processes, (void)why;
	servers_metrics(pm->servers);
	follow_up_metrics();
	operation_metrics();
	full_scan_metrics();
	repair_metrics();
	adjust_metrics();
	sync_metrics();
	peers_metrics();
	queue_watch_metrics((const char *const[]){ poolmgr_topic(pm), NULL }, true);
	return OK;
}

/* mini-DNS needs the new addresses first. The lane runs both jobs in this order. */
static void poolmgr_server_moved(void *self, const struct server *server, bool is_first)
{
	struct poolmgr *pm = self;

	registration_renew(pm->registration);
	if (!is_first)
		return;
	release_server(pm, server->settings->id, true);
	release_server(pm, server->settings->id, false);
}

static enum err poolmgr_start(void *self, const struct runtime *runtime, struct why *why)
{
	struct poolmgr *pm = self;
	enum err err;

	pm->runtime = *runtime;
	pm->peers = peers_new(pm);
	pm->follow_up = follow_up_new(pm);
	err = registration_begin(pm, why);
	if (err)
		return err;
	pm->registration = registration_new(pm);
	pm->health_writer = health_writer_new(pm);
	pm->servers->moved = poolmgr_server_moved;
	pm->servers->moved_self = pm;
	servers_start(pm->servers, runtime->loop, runtime->db_config);
	pm->lane_db = db_new(runtime->db_config);
	pm->lane = lane_new(runtime->loop, "rows", POOLMGR_JOBS_MAX);
	pm->scan = full_scan_new(pm);
	pm->recompare = recompare_new(pm);
	pm->retry = retry_new(pm);
	pm->sync = sync_new(pm);
	pm->server_check = server_check_new(pm);
	return OK;
}

static bool poolmgr_idle(const void *self)
{
	const struct poolmgr *pm = self;

	return servers_idle(pm->servers) && peers_idle(pm->peers) &&
		!lane_waiting(pm->lane);
}

static void poolmgr_drain(void *self)
{
	struct poolmgr *pm = self;

	pm->is_draining = true;
}

static void poolmgr_stop(void *self)
{
	struct poolmgr *pm = self;

	lane_free(&pm->lane);	/* its jobs use the lanes of the servers */
	servers_stop(pm->servers);
	db_free(&pm->lane_db);
	health_writer_free(&pm->health_writer);
	registration_free(&pm->registration);
	follow_up_free(&pm->follow_up);
	full_scan_free(&pm->scan);
	recompare_free(&pm->recompare);
	retry_free(&pm->retry);
	sync_free(&pm->sync);
	server_check_free(&pm->server_check);
	peers_free(&pm->peers);
}

static const char *const tables[] = {
	"distributed_locks", "domains", "object_versions", "pool_manager_status",
	"pool_servers", "pools", "repair_log", "repairs", "schema_migrations",
	"worker_nodes", NULL
};

int main(int argc, char **argv)
{
	const struct worker worker = {
		.name = "poolmgr",
		.fleet = true,
		.tables = tables,
		.summary = "creates and deletes zones on the name servers of a pool, "
		           "and determines which changes they serve",
		.sections = sections,
		.lists = server_lists,
		.methods = poolmgr_methods,
		.timers = timers,
		.part = &member_part,
		.recovery = true,
		.topic = poolmgr_topic,
		.check = poolmgr_check,
		.connect = poolmgr_connect,
		.prepare = poolmgr_prepare,
		.start = poolmgr_start,
		.drain = poolmgr_drain,
		.idle = poolmgr_idle,
		.stop = poolmgr_stop,
		.self = &poolmgr,
	};

	return worker_main(argc, argv, &worker);
}
