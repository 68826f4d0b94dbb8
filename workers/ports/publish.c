#include "publish_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/heartbeat.h"
#include "core/reverse.h"
#include "runtime/metrics.h"

enum { CALL_MS = 20 * 1000 };

static const struct backoff again = { .first_ms = 500, .max_ms = 300 * 1000 };
static const struct rpc_target central = { .topic = "central" };

static struct metric *failures;

void publish_metrics(void)
{
	publish_rows_metrics();
	failures = metric_new(METRIC_COUNTER, "ports_failures_total",
	    "changes of domains that are to be tried again", NULL, NULL);
}

static struct holder *holder_of(const struct publisher *publisher)
{
	return membership_holder(heartbeat_membership(publisher->ports->heartbeat));
}

/* ---- the end of one ---- */

static void publication_free(struct publication *publication)
{
	struct publisher *publisher = publication->publisher;
	struct publication **at = &publisher->all;

	while (*at != publication)
		at = &(*at)->next;
	*at = publication->next;
	publisher->count--;
	rpc_cancel(publisher->ports->runtime.rpc, publication);
	if (publication->held)
		holder_drop(holder_of(publisher), publisher->ports->runtime.db,
		            &publication->held);
	arena_free(&publication->arena);
	free(publication->zone_text);
	free(publication->project);
	free(publication);
}

struct tx publish_begin_guarded(struct publication *publication, struct why *why)
{
	struct publisher *publisher = publication->publisher;
	struct tx tx = tx_begin(publisher->ports->runtime.db, why);

	holder_guard(holder_of(publisher), &tx, publication->held);
	return tx_move(&tx);
}

struct failing {
	struct publication *publication;
	const char *reason;
};

static enum err write_failure(void *self, struct why *why)
{
	const struct failing *failing = self;
	struct publication *publication = failing->publication;
	struct tx tx = publish_begin_guarded(publication, why);

	store_zone_failed(&tx, &publication->zone, failing->reason,
	                  backoff_ms(&again, (int)publication->row.failures,
	                             random_u32()));
	return tx_commit(&tx);
}

void publish_give_up(struct publication *publication, const char *reason)
{
	struct failing failing = { publication, reason };
	struct why why;

	metric_add(failures, 1);
	log_warn("domain not published: domain=%s tenant=\"%s\" reason=\"%s\"",
	         publication->zone.zone, publication->zone.project_id, reason);
	if (tx_again(write_failure, &failing, &why))
		log_warn("failure not written: domain=%s reason=\"%s\"",
		         publication->zone.zone, why.text);
	publication_free(publication);
}

/* ---- what central is asked ---- */

/* As the project that the records are of; reverse domains are nobody's but ours. */
static json_t *context_of(const struct publication *publication)
{
	const char *project = publication->zone.project_id;
	char id[ID_LEN + 1];
	json_t *context;

	id_random(id);
	context = context_encode(id, !*project);
	if (*project)
		json_object_set_new(context, "project_id", json_string(project));
	return context;
}

void publish_ask(struct publication *publication, const char *method, json_t *args,
                 rpc_answer_fn *answered)
{
	json_t *context = context_of(publication);
	struct why why;
	enum err err = rpc_call(publication->publisher->ports->runtime.rpc, &central,
	                        method, args, context, CALL_MS, answered, publication,
	                        &why);

	json_decref(context);
	json_decref(args);
	if (err)
		publish_give_up(publication, why.text);
}

/* ---- what is to be done ---- */

static void take_row(void *self, const struct record_row *row)
{
	struct publication *publication = self;

	publication->rows[publication->count++] = *row;
}

/* If nothing is there. That of all networks without one is nobody's, too, and stays. */
static bool may_delete(const struct publication *publication)
{
	return publication->publisher->ports->settings.deletes_reverse &&
	       *publication->row.made_id && !*publication->zone.project_id &&
	       reverse_is_zone(publication->zone.zone);
}

static enum err read_open(void *self, struct why *why)
{
	struct publication *publication = self;
	size_t drops_max = (publication->limit + 1) / 2, drops;
	struct tx tx = publish_begin_guarded(publication, why);

	publication->count = 0;
	arena_reset(publication->arena);
	publication->rows = arena_alloc(publication->arena, publication->limit *
	                                                    sizeof(*publication->rows));
	if (!store_zone_read(&tx, &publication->zone, &publication->row))
		tx_fail(&tx, ERR_NOT_FOUND, "the domain has no row");
	store_zone_open(&tx, publication->arena, &publication->zone, RECORD_DROP, drops_max,
	                take_row, publication);
	drops = publication->count;
	store_zone_open(&tx, publication->arena, &publication->zone, RECORD_ADD,
	                publication->limit - drops, take_row, publication);
	publish_rows_keep_whole(publication, drops, drops_max);
	publication->is_unneeded = !publication->count && may_delete(publication) &&
	                           !store_zone_is_used(&tx, &publication->zone);
	if (!tx.err && !publication->count && !publication->is_unneeded)
		store_zone_settled(&tx, &publication->zone, publication->row.rev);
	return tx_commit(&tx);
}

void publish_look(struct publication *publication)
{
	struct why why;

	if (tx_again(read_open, publication, &why)) {
		publish_give_up(publication, why.text);
		return;
	}
	if (publication->publisher->is_draining ||
	    (!publication->count && !publication->is_unneeded))
		publication_free(publication);
	else if (!publication->count)
		publish_domain_delete(publication);
	else if (publication->domain == PUBLISH_MISSING)
		publish_domain_create(publication);
	else
		publish_rows(publication);
}

void publish_look_after(struct publication *publication,
                        enum err (*write)(void *self, struct why *why))
{
	struct why why;

	if (tx_again(write, publication, &why))
		publish_give_up(publication, why.text);
	else
		publish_look(publication);
}

/* ---- the beginning ---- */

static bool is_under_way(const struct publisher *publisher, const struct zone_key *zone)
{
	for (struct publication *at = publisher->all; at; at = at->next)
		if (!strcmp(at->zone_text, zone->zone) &&
		    !strcmp(at->project, zone->project_id))
			return true;
	return false;
}

/* Its lock's name is short, whatever the domain's is. */
static enum err take_lock(struct publication *publication, struct why *why)
{
	struct publisher *publisher = publication->publisher;
	char object[256];

	snprintf(object, sizeof(object), "ports:%.240s", publication->zone.zone);
	return holder_take(holder_of(publisher), publisher->ports->runtime.db, object, 0,
	                   &publication->held, why);
}

static void begin(struct publisher *publisher, const struct zone_key *zone)
{
	struct publication *publication;
	struct why why;

	if (publisher->is_draining || publisher->count >= PUBLISH_AT_ONCE ||
	    is_under_way(publisher, zone))
		return;			/* publisher_fire() comes by again */
	publication = xcalloc(1, sizeof(*publication));
	publication->next = publisher->all;
	publisher->all = publication;
	publisher->count++;
	publication->publisher = publisher;
	publication->zone_text = xstrdup(zone->zone);
	publication->project = xstrdup(zone->project_id);
	publication->zone = (struct zone_key){ publication->zone_text,
	                                       publication->project };
	publication->arena = arena_new();
	publication->limit = PUBLISH_ROWS_MAX;
	if (take_lock(publication, &why))
		publication_free(publication);	/* who has it sees what is open */
	else
		publish_look(publication);
}

void publisher_now(struct publisher *publisher, const struct zone_key *zones,
                   size_t count)
{
	for (size_t i = 0; i < count; i++)
		begin(publisher, &zones[i]);
}

struct due {
	struct arena *arena;
	struct zone_key zones[PUBLISH_AT_ONCE];
	size_t count;
};

static void take_due(void *self, const struct zone_key *zone)
{
	struct due *due = self;

	if (due->count < PUBLISH_AT_ONCE)
		due->zones[due->count++] = *zone;
}

void publisher_fire(struct publisher *publisher)
{
	struct due due = { .arena = arena_new() };
	struct why why;
	struct tx tx = tx_once(publisher->ports->runtime.db, &why);

	store_zones_due(&tx, due.arena, take_due, &due);
	if (tx_commit(&tx))
		log_warn("due domains not read: reason=\"%s\"", why.text);
	else
		publisher_now(publisher, due.zones, due.count);
	arena_free(&due.arena);
}

/* ---- life ---- */

struct publisher *publisher_new(struct ports *ports)
{
	struct publisher *publisher = xcalloc(1, sizeof(*publisher));

	publisher->ports = ports;
	return publisher;
}

void publisher_free(struct publisher **publisher)
{
	while (*publisher && (*publisher)->all)
		publication_free((*publisher)->all);
	free(*publisher);
	*publisher = NULL;
}

void publisher_drain(struct publisher *publisher)
{
	publisher->is_draining = true;
}

bool publisher_is_idle(const struct publisher *publisher)
{
	return !publisher->count;
}
