#include "publish_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "consistency/heartbeat.h"
#include "core/reverse.h"

void publish_metrics(void)
{
	publish_rows_metrics();
	publish_step_metrics();
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

static void publisher_look(struct publication *publication)
{
	struct why why;

	if (tx_retry_on_loop(read_open, publication, &why)) {
		publish_give_up(publication, why.text);
		return;
	}
	if (publication->publisher->is_draining ||
	    (!publication->count && !publication->is_unneeded))
		publish_end(publication);
	else if (!publication->count)
		publish_domain_delete(publication);
	else if (publication->domain == PUBLISH_MISSING)
		publish_domain_create(publication);
	else
		publish_rows(publication);
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
	return holder_take(publish_holder(publisher), publisher->ports->runtime.db, object, 0,
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
		publish_end(publication);	/* who has it sees what is open */
	else
		publisher_look(publication);
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
	struct tx tx = tx_autocommit(publisher->ports->runtime.db, &why);

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
	publisher->look = publisher_look;
	return publisher;
}

void publisher_free(struct publisher **publisher)
{
	while (*publisher && (*publisher)->all)
		publish_end((*publisher)->all);
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
