#include "publish.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/pulse.h"
#include "core/reverse.h"
#include "model/presentation.h"
#include "runtime/metrics.h"

enum {
	CALL_MS = 20 * 1000,
	ROWS_MAX = 5000,		/* records of a change: central takes no more */
	FASTER = 4,			/* so many more, after some of fewer were taken */
};

static const struct backoff again = { .first_ms = 500, .max_ms = 300 * 1000 };
static const struct rpc_target central = { .topic = "central" };

static struct figures {
	struct metric *changes, *records, *refused, *failures;
} figures;

void publish_metrics(void)
{
	figures.changes = metric_new(METRIC_COUNTER, "ports_changes_total",
	    "changes of domains that central took", NULL, NULL);
	figures.records = metric_new(METRIC_COUNTER, "ports_records_total",
	    "records of ports that were added or deleted by them", NULL, NULL);
	figures.refused = metric_new(METRIC_COUNTER, "ports_refused_total",
	    "records of ports that central did not take", NULL, NULL);
	figures.failures = metric_new(METRIC_COUNTER, "ports_failures_total",
	    "changes of domains that are to be tried again", NULL, NULL);
}

/* A domain that is being published. */
struct publication {
	struct publication *next;
	struct publisher *publisher;
	struct zone_key zone;
	char *zone_text, *project;
	struct zone_row row;
	struct held *held;
	struct arena *arena;
	struct record_row *rows;
	size_t count;
	size_t limit;			/* of rows, after a refusal */
	char domain_id[ID_LEN + 1];	/* of the domain that took the change; or "" */
	bool is_missing;		/* central had no such domain */
	bool is_created;		/* and then it was made */
	bool is_unused;			/* and ours to delete */
	const char *refusal;		/* of the rows, while central is asked why */
};

struct publisher {
	struct ports *ports;
	struct publication *all;
	size_t count;
	bool is_draining;
};

static struct holder *holder_of(const struct publisher *publisher)
{
	return fleet_holder(pulse_fleet(publisher->ports->pulse));
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

static struct tx begin_guarded(struct publication *publication, struct why *why)
{
	struct publisher *publisher = publication->publisher;
	struct tx tx = tx_begin(publisher->ports->runtime.db, why);

	holder_guard(holder_of(publisher), &tx, publication->held);
	return tx;
}

struct failing {
	struct publication *publication;
	const char *reason;
};

static enum err write_failure(void *self, struct why *why)
{
	const struct failing *failing = self;
	struct publication *publication = failing->publication;
	struct tx tx = begin_guarded(publication, why);

	store_zone_failed(&tx, &publication->zone, failing->reason,
	                  backoff_ms(&again, (int)publication->row.failures,
	                             random_u32()));
	return tx_commit(&tx);
}

static void give_up(struct publication *publication, const char *reason)
{
	struct failing failing = { publication, reason };
	struct why why;

	metric_add(figures.failures, 1);
	log_warn("domain not published: domain=%s tenant=\"%s\" reason=\"%s\"",
	         publication->zone.zone, publication->zone.project_id, reason);
	if (tx_redo(write_failure, &failing, &why))
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

static void ask(struct publication *publication, const char *method, json_t *args,
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
		give_up(publication, why.text);
}

static bool is_same_set(const struct record_row *a, const struct record_row *b)
{
	return a->state == b->state && a->type == b->type && !strcmp(a->name, b->name);
}

/* Those of one set are one change; what another port has, too, stays. */
static json_t *changes_of(const struct publication *publication)
{
	const struct record_row *rows = publication->rows, *last = NULL;
	json_t *changes = json_array(), *records = NULL;

	for (size_t i = 0; i < publication->count; i++) {
		char type[16];

		if (rows[i].is_shared)
			continue;
		if (!last || !is_same_set(last, &rows[i])) {
			records = json_array();
			rrtype_format(rows[i].type, type);
			json_array_append_new(changes, json_pack("{s:s, s:s, s:s, s:o}",
				"op", rows[i].state == RECORD_ADD ? "add" : "delete",
				"name", rows[i].name, "type", type, "records", records));
		}
		json_array_append_new(records, json_string(rows[i].data));
		last = &rows[i];
	}
	return changes;
}

static void look(struct publication *publication);
static void send_rows(struct publication *publication);

/* ---- what central answers ---- */

/* Of which domain it was that it took the change; of another one all else is lost. */
static void note_domain(struct publication *publication, struct tx *tx)
{
	const char *id = publication->domain_id, *was = publication->row.domain_id;

	if (!*id || !strcmp(id, was))
		return;
	store_zone_known(tx, publication->zone.zone, id);
	if (*was)
		store_zone_lost_all(tx, &publication->zone);
}

static enum err write_done(void *self, struct why *why)
{
	struct publication *publication = self;
	struct tx tx = begin_guarded(publication, why);

	store_zone_done(&tx, &publication->zone, publication->rows, publication->count);
	note_domain(publication, &tx);
	return tx_commit(&tx);
}

static void was_done(struct publication *publication)
{
	struct why why;

	if (tx_redo(write_done, publication, &why)) {
		give_up(publication, why.text);
		return;
	}
	metric_add(figures.changes, 1);
	metric_add(figures.records, (int64_t)publication->count);
	log_info("domain published: domain=%s tenant=\"%s\" records=%zu",
	         publication->zone.zone, publication->zone.project_id,
	         publication->count);
	publication->limit = publication->limit < ROWS_MAX / FASTER
	                     ? FASTER * publication->limit : ROWS_MAX;
	look(publication);
}

static enum err write_refusal(void *self, struct why *why)
{
	const struct failing *refused = self;
	struct publication *publication = refused->publication;
	struct tx tx = begin_guarded(publication, why);

	store_zone_refused(&tx, &publication->rows[0], refused->reason);
	return tx_commit(&tx);
}

/* For whoever can do something about it. */
static void tell_refused(const struct publication *publication, const char *reason)
{
	const struct record_row *row = &publication->rows[0];
	json_t *payload = json_pack("{s:s, s:s, s:s, s:s, s:s}", "port", row->port_id,
	                            "domain", row->zone, "name", row->name, "data",
	                            row->data, "reason", reason);
	struct why why;

	metric_add(figures.refused, 1);
	log_warn("record refused: domain=%s name=%s port=%s reason=\"%s\"", row->zone,
	         row->name, row->port_id, reason);
	if (rpc_notify(publication->publisher->ports->runtime.rpc, "dns.port.error",
	               payload, &why))
		log_warn("notification not sent: reason=\"%s\"", why.text);
	json_decref(payload);
}

/* One of them cannot be: in halves, until it is alone, and then slowly on. */
static void was_refused(struct publication *publication)
{
	struct failing refused = { publication, publication->refusal };
	struct why why;

	if (publication->count > 1) {
		publication->limit = publication->count / 2;
		look(publication);
		return;
	}
	tell_refused(publication, publication->refusal);
	if (tx_redo(write_refusal, &refused, &why))
		give_up(publication, why.text);
	else
		look(publication);
}

static bool is_leaving(const struct rpc_answer *answer)
{
	const char *task = json_string_value(json_object_get(answer->result, "task"));

	return answer->err == ERR_NOT_FOUND || (task && !strcmp(task, "DELETE"));
}

/* A domain on its way out takes nothing, and can be made again when it is gone. */
static void hear_domain(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;

	if (is_leaving(answer))
		give_up(publication, "the domain is being deleted");
	else if (answer->err)
		give_up(publication, answer->why.text);
	else
		was_refused(publication);
}

/* By the domain, or by what is there already? */
static void met_conflict(struct publication *publication)
{
	ask(publication, "get_domain", json_pack("{s:s}", "domain",
	                                         publication->zone.zone), hear_domain);
}

/* ---- a domain that is not there ---- */

static bool may_create(const struct publication *publication)
{
	return !*publication->zone.project_id ||
	       publication->publisher->ports->settings.creates_domains;
}

/* Whoever else has records there does not know yet that they were lost with it. */
static enum err write_made(void *self, struct why *why)
{
	struct publication *publication = self;
	struct tx tx = begin_guarded(publication, why);

	store_zone_known(&tx, publication->zone.zone, publication->row.made_id);
	store_zone_lost_all(&tx, &publication->zone);
	return tx_commit(&tx);
}

static enum err write_unmade(void *self, struct why *why)
{
	struct publication *publication = self;
	struct tx tx = begin_guarded(publication, why);

	store_zone_made(&tx, &publication->zone, "");
	return tx_commit(&tx);
}

/* Somebody else may have made it meanwhile: then there it is, and theirs. */
static void hear_created(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;
	struct why why;

	publication->is_created = true;
	if (answer->err && answer->err != ERR_EXISTS)
		give_up(publication, answer->why.text);
	else if (answer->err && tx_redo(write_unmade, publication, &why))
		give_up(publication, why.text);
	else if (!answer->err && tx_redo(write_made, publication, &why))
		give_up(publication, why.text);
	else
		send_rows(publication);
}

static void create_domain(struct publication *publication)
{
	const struct ports_settings *settings = &publication->publisher->ports->settings;
	json_t *domain = json_pack("{s:s, s:s}", "id", publication->row.made_id,
	                           "name", publication->zone.zone);

	if (*settings->email)
		json_object_set_new(domain, "email", json_string(settings->email));
	if (*settings->pool)
		json_object_set_new(domain, "pool", json_string(settings->pool));
	ask(publication, "create_domain", json_pack("{s:o}", "domain", domain),
	    hear_created);
}

/*
 * Its next id is written before it is asked for, for the answer may be lost; one that was
 * never answered is said again, and may have been taken by now.
 */
static enum err write_missing(void *self, struct why *why)
{
	struct publication *publication = self;
	struct tx tx = begin_guarded(publication, why);

	if (!may_create(publication))
		*publication->row.made_id = '\0';
	else if (!*publication->row.made_id ||
	         !strcmp(publication->row.made_id, publication->row.domain_id))
		id_random(publication->row.made_id);
	store_zone_made(&tx, &publication->zone, publication->row.made_id);
	store_zone_lost(&tx, &publication->zone);
	return tx_commit(&tx);
}

/* Before it is made again, so that whoever dies meanwhile leaves all of it open. */
static void was_missing(struct publication *publication)
{
	struct why why;

	publication->is_missing = true;
	if (tx_redo(write_missing, publication, &why))
		give_up(publication, why.text);
	else
		look(publication);
}

static void make_missing(struct publication *publication)
{
	if (may_create(publication))
		create_domain(publication);
	else
		give_up(publication, "there is no such domain, or it is of another "
		                     "project");
}

/* ---- a domain that nobody needs ---- */

/* What somebody else keeps there is theirs from now on, and so is the domain. */
static void hear_deleted(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;
	bool is_kept = answer->err == ERR_CONFLICT;
	struct why why;

	if (answer->err && answer->err != ERR_NOT_FOUND && !is_kept) {
		give_up(publication, answer->why.text);
		return;
	}
	log_info("empty domain %s: domain=%s reason=\"%s\"", answer->err ? "not ours" : "deleted",
	         publication->zone.zone, answer->err ? answer->why.text : "");
	if (tx_redo(write_unmade, publication, &why))
		give_up(publication, why.text);
	else
		look(publication);
}

static void delete_unused(struct publication *publication)
{
	ask(publication, "delete_domain", json_pack("{s:s, s:b}", "domain",
	    publication->row.made_id, "if_empty", true), hear_deleted);
}

/* ---- what became of a change ---- */

/* Of these a single record may be the cause; all else passes, or is no record's fault. */
static bool is_refusal(enum err err)
{
	return err == ERR_INVALID || err == ERR_CONFLICT || err == ERR_TOO_LARGE;
}

/* As many as there is room for; the others wait until somebody makes more. */
static void met_quota(struct publication *publication, const char *reason)
{
	if (publication->count == 1) {
		give_up(publication, reason);
		return;
	}
	publication->limit = publication->count / 2;
	look(publication);
}

static void met_refusal(struct publication *publication, const struct rpc_answer *answer)
{
	publication->refusal = arena_strdup(publication->arena, answer->why.text);
	if (answer->err == ERR_CONFLICT)
		met_conflict(publication);
	else
		was_refused(publication);
}

static void hear_changed(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;
	const char *id = json_string_value(json_object_get(answer->result, "id"));

	snprintf(publication->domain_id, sizeof(publication->domain_id), "%s", id ? id : "");
	if (!answer->err)
		was_done(publication);
	else if (answer->err == ERR_NOT_FOUND && !publication->is_missing)
		was_missing(publication);
	else if (answer->err == ERR_QUOTA)
		met_quota(publication, answer->why.text);
	else if (is_refusal(answer->err))
		met_refusal(publication, answer);
	else
		give_up(publication, answer->why.text);
}

static void send_rows(struct publication *publication)
{
	json_t *changes = changes_of(publication);

	if (!json_array_size(changes)) {
		json_decref(changes);
		was_done(publication);
		return;
	}
	ask(publication, "apply_changes", json_pack("{s:s, s:o}", "domain",
	    publication->zone.zone, "changes", changes), hear_changed);
}

/* ---- what is open ---- */

static void take_row(void *self, const struct record_row *row)
{
	struct publication *publication = self;

	publication->rows[publication->count++] = *row;
}

/* If nothing is there. That of all networks without one is nobody's, too, and stays. */
static bool is_to_go(const struct publication *publication)
{
	return publication->publisher->ports->settings.deletes_reverse &&
	       !publication->count && *publication->row.made_id &&
	       !*publication->zone.project_id &&
	       reverse_is_zone(publication->zone.zone);
}

static enum err read_open(void *self, struct why *why)
{
	struct publication *publication = self;
	struct tx tx = begin_guarded(publication, why);

	publication->count = 0;
	arena_reset(publication->arena);
	publication->rows = arena_alloc(publication->arena, publication->limit *
	                                                    sizeof(*publication->rows));
	if (!store_zone_read(&tx, &publication->zone, &publication->row))
		tx_fail(&tx, ERR_NOT_FOUND, "the domain has no row");
	store_zone_open(&tx, publication->arena, &publication->zone,
	                publication->limit, take_row, publication);
	publication->is_unused = is_to_go(publication) &&
	                         !store_zone_is_used(&tx, &publication->zone);
	if (!tx.err && !publication->count && !publication->is_unused)
		store_zone_settled(&tx, &publication->zone, publication->row.rev);
	return tx_commit(&tx);
}

static void look(struct publication *publication)
{
	struct why why;

	if (tx_redo(read_open, publication, &why)) {
		give_up(publication, why.text);
		return;
	}
	if (publication->publisher->is_draining ||
	    (!publication->count && !publication->is_unused))
		publication_free(publication);
	else if (!publication->count)
		delete_unused(publication);
	else if (publication->is_missing && !publication->is_created)
		make_missing(publication);
	else
		send_rows(publication);
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
	return holder_take(holder_of(publisher), publisher->ports->runtime.db, object,
	                   clock_ms(), &publication->held, why);
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
	publication->limit = ROWS_MAX;
	if (take_lock(publication, &why))
		publication_free(publication);	/* who has it sees what is open */
	else
		look(publication);
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
