#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "consistency/member.h"
#include "consistency/queue_watch.h"
#include "net/lookup.h"
#include "ownership.h"
#include "provider.h"
#include "round.h"
#include "runtime/offload.h"
#include "store.h"

static struct ownership ownership = { .due_period_ms = 1000,
                                       .sweep_period_ms = 60 * 1000 };

static const struct timer timers[] = {
	{ "due", &ownership.due_period_ms, due_fire },
	{ "sweep", &ownership.sweep_period_ms, sweep_fire },
	{ 0 }
};

static enum err ownership_check(void *self, struct why *why)
{
	struct ownership *own = self;

	if (own->registries.item)	/* a reload does not change registries */
		return OK;
	return registries_build(&own->registries, why);
}

static enum err ownership_prepare(void *self, int processes, struct why *why)
{
	(void)self, (void)processes, (void)why;
	round_metrics();
	queue_watch_metrics((const char *const[]){ "ownership", NULL }, false);
	return OK;
}

/* A name that is too long for the name of the lock is replaced by its id. */
static void ownership_name_lock(struct registry *registry)
{
	if (strlen(registry->zone_text) > REGISTRY_LOCK_ZONE)
		snprintf(registry->lock, sizeof(registry->lock), "registry:%s",
		         registry->id);
}

static enum err ownership_enter_all(void *self, struct why *why)
{
	struct ownership *own = self;
	struct tx tx = tx_autocommit(own->runtime.db, why);

	for (size_t i = 0; i < own->registries.count; i++) {
		struct registry *registry = &own->registries.item[i];

		store_registry_enter(&tx, registry->settings->storage_id,
		                     registry->zone_text, registry->id);
		ownership_name_lock(registry);
	}
	return tx_commit(&tx);
}

enum { NAMES_WAITING = 1024 };

/*
 * Looks the names up before the first round, so that the round need not wait. A resolver
 * without an answer is asked only once here.
 */
static void ownership_look_up_primaries(struct ownership *own)
{
	struct why why;
	bool is_deaf = false;

	own->names = lane_new(own->runtime.loop, "names", NAMES_WAITING);
	for (size_t i = 0; i < own->registries.count; i++) {
		struct registry *registry = &own->registries.item[i];
		struct lookup_config config = {
			.loop = own->runtime.loop, .lane = own->names,
			.host = registry->settings->host,
			.port = (uint16_t)registry->settings->port,
		};

		if (registry->provider != &provider_rfc2136)
			continue;
		if (!is_deaf)
			is_deaf = lookup_now(config.host, config.port, &config.known,
			                     &why);
		registry->lookup = lookup_new(&config);
	}
}

static enum err ownership_start(void *self, const struct runtime *runtime,
                                struct why *why)
{
	struct ownership *own = self;
	enum err err;

	own->runtime = *runtime;
	err = tx_retry(ownership_enter_all, own, why);
	if (err)
		return err;
	ownership_look_up_primaries(own);
	for (size_t i = 0; i < own->registries.count; i++) {
		struct registry *registry = &own->registries.item[i];

		registry->provider->start(registry, &own->runtime);
	}
	return OK;
}

static void ownership_drain(void *self)
{
	struct ownership *own = self;

	own->is_draining = true;
	for (size_t i = 0; i < own->registries.count; i++)
		round_stop(&own->registries.item[i]);
}

static bool ownership_idle(const void *self)
{
	const struct ownership *own = self;

	for (size_t i = 0; i < own->registries.count; i++)
		if (own->registries.item[i].round)
			return false;
	return true;
}

static void ownership_stop(void *self)
{
	struct ownership *own = self;

	for (size_t i = 0; i < own->registries.count; i++) {
		struct registry *registry = &own->registries.item[i];

		round_abort(registry);
		registry->provider->stop(registry);
		lookup_free(&registry->lookup);
	}
	lane_free(&own->names);
}

static const char *const tables[] = {
	"distributed_locks", "endpoint_sources", "endpoints", "ownership",
	"ownership_order_items", "ownership_orders", "ownership_records",
	"ownership_requests", "registries", "registry_plans", "schema_migrations",
	"worker_nodes", NULL
};

int main(int argc, char **argv)
{
	const struct worker worker = {
		.name = "ownership",
		.fleet = true,
		.tables = tables,
		.no_lock_wait = true,
		.summary = "manages records in zones that other programs also change",
		.lists = registry_lists,
		.methods = ownership_methods,
		.timers = timers,
		.part = &member_part,
		.check = ownership_check,
		.prepare = ownership_prepare,
		.start = ownership_start,
		.drain = ownership_drain,
		.idle = ownership_idle,
		.stop = ownership_stop,
		.self = &ownership,
	};

	return worker_main(argc, argv, &worker);
}
