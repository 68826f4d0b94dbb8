#include "publish_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "core/reverse.h"
#include "runtime/metrics.h"

enum { PUBLISH_AT_ONCE = 16 };		/* domains at the same time in a process */

static struct metric *publish_failures;

void publish_metrics(void)
{
	publish_rows_metrics();
	publish_failures = metric_new(METRIC_COUNTER, "ports_failures_total",
	    "failed changes to domains. zonefleet-ports retries these "
	    "changes", NULL, NULL);
}

/* ---- one step ---- */

static void publish_add_row(void *self, const struct record_row *row)
{
	struct publication *publication = self;

	publication->rows[publication->count++] = *row;
}

/*
 * The domain of a network without a project is not a reverse domain, so it is not
 * deleted.
 */
static bool publish_can_delete(const struct publication *publication)
{
	return publication->ports->settings.deletes_reverse &&
	       *publication->row.made_id && !*publication->zone.project_id &&
	       reverse_is_zone(publication->zone.zone);
}

/* Reads the next published rows. At the end, the domain is no longer suspect. */
static void publish_read_again(struct publication *publication, struct tx *tx)
{
	const struct confirmation *now = &publication->confirmation;
	const struct record_row after = { .name = now->name, .type = now->type,
	                                  .data = now->data };
	size_t limit = publication->limit < PUBLISH_AGAIN_MAX ? publication->limit
	                                                      : PUBLISH_AGAIN_MAX;

	store_zone_published(tx, publication->work.arena, &publication->zone, &after,
	                     limit, publish_add_row, publication);
	publication->is_again = publication->count;
	if (!tx->err && !publication->count)
		store_zone_checked(tx, &publication->zone,
		                   now->is_disturbed ? 0 : now->version);
}

static void publish_read(void *object, struct tx *tx)
{
	struct publication *publication = object;
	struct arena *arena = publication->work.arena;
	size_t drops_max = (publication->limit + 1) / 2, drops;

	publication->count = 0;
	publication->rows = arena_alloc(arena, publication->limit *
	                                       sizeof(*publication->rows));
	publication->is_known = store_zone_read(tx, &publication->zone,
	                                        &publication->row);
	publication->work.failures = publication->row.failures;
	store_zone_open(tx, arena, &publication->zone, RECORD_DROP, drops_max,
	                publish_add_row, publication);
	drops = publication->count;
	store_zone_open(tx, arena, &publication->zone, RECORD_ADD,
	                publication->limit - drops, publish_add_row, publication);
	publish_rows_keep_whole(publication, drops, drops_max);
	publication->is_again = false;
	if (!publication->count && publication->row.is_suspect)
		publish_read_again(publication, tx);
	publication->is_unneeded = !publication->count &&
	                           publish_can_delete(publication) &&
	                           !store_zone_is_used(tx, &publication->zone);
	if (!tx->err && !publication->count && !publication->is_unneeded)
		store_zone_settled(tx, &publication->zone, publication->row.rev);
}

static void publish_step(void *object)
{
	struct publication *publication = object;

	if (!publication->is_known || (!publication->count && !publication->is_unneeded))
		work_end(publication);
	else if (!publication->count)
		publish_domain_delete(publication);
	else if (publication->domain == PUBLISH_MISSING)
		publish_domain_create(publication);
	else
		publish_rows(publication);
}

static void publish_log_failure(const void *object, const char *reason)
{
	const struct publication *publication = object;

	metric_add(publish_failures, 1);
	log_warn("domain not updated in central: domain=%s tenant=\"%s\" reason=\"%s\"",
	         publication->zone.zone, publication->zone.project_id, reason);
}

static void publish_write_failure(void *object, struct tx *tx, const char *reason,
                                  int pause_ms)
{
	store_zone_failed(tx, &((struct publication *)object)->zone, reason, pause_ms);
}

static void publication_free(void *object)
{
	struct publication *publication = object;

	free((char *)publication->zone.zone);
	free((char *)publication->zone.project_id);
	free(publication);
}

static const struct reconcile_kind publications = {
	.at_once = PUBLISH_AT_ONCE,
	.call_ms = 20 * 1000,
	.pause = { .first_ms = 500, .max_ms = 300 * 1000 },
	.read = publish_read,
	.step = publish_step,
	.log_failure = publish_log_failure,
	.write_failure = publish_write_failure,
	.free = publication_free,
};

/* ---- the start ---- */

static void publish_start(struct ports *ports, const struct zone_key *zone)
{
	char key[2048], lock[256];
	struct publication *publication;

	bug_if(snprintf(key, sizeof(key), "%s %s", zone->zone, zone->project_id) >=
	       (int)sizeof(key));
	if (!reconciler_can_start(ports->publisher, key))
		return;
	publication = xcalloc(1, sizeof(*publication));
	publication->ports = ports;
	publication->zone = (struct zone_key){ .zone = xstrdup(zone->zone),
	                                       .project_id = xstrdup(zone->project_id) };
	publication->limit = PUBLISH_ROWS_MAX;
	/* long names may share a lock */
	snprintf(lock, sizeof(lock), "ports:%.240s", zone->zone);
	work_start(publication, ports->publisher, key, lock);
}

void publish_now(struct ports *ports, const struct zone_key *zones, size_t count)
{
	for (size_t i = 0; i < count; i++)
		publish_start(ports, &zones[i]);
}

struct publish_due {
	struct zone_key zones[PUBLISH_AT_ONCE];
	size_t count;
};

static void publish_add_due(void *self, const struct zone_key *zone)
{
	struct publish_due *due = self;

	if (due->count < PUBLISH_AT_ONCE)
		due->zones[due->count++] = *zone;
}

void publish_fire(struct ports *ports)
{
	struct publish_due due = { .count = 0 };
	struct arena *arena = arena_new();
	struct why why;
	struct tx tx = tx_autocommit(ports->runtime.db, &why);

	store_zones_due(&tx, arena, publish_add_due, &due);
	if (tx_commit(&tx))
		log_warn("cannot read which domains are due: reason=\"%s\"", why.text);
	else
		publish_now(ports, due.zones, due.count);
	arena_free(&arena);
}

struct reconciler *publish_new(struct ports *ports)
{
	return reconciler_new(&publications, &ports->runtime);
}
