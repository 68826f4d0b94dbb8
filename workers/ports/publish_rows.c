#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "model/presentation.h"
#include "publish_private.h"
#include "runtime/metrics.h"

enum { FASTER = 4 };			/* so many more, after some of fewer were taken */

static struct figures {
	struct metric *changes, *records, *refused;
} figures;

void publish_rows_metrics(void)
{
	figures.changes = metric_new(METRIC_COUNTER, "ports_changes_total",
	    "changes of domains that central took", NULL, NULL);
	figures.records = metric_new(METRIC_COUNTER, "ports_records_total",
	    "records of ports that these changes added or deleted", NULL, NULL);
	figures.refused = metric_new(METRIC_COUNTER, "ports_refused_total",
	    "records that central refused, because another record is in the way. "
	    "Their ports are in ERROR", NULL, NULL);
}

/* ---- no more than there is room for ---- */

/* The name of the last of the first COUNT rows, if there was no room for more. */
static const char *cut_at(const struct publication *publication, size_t count, bool is_cut)
{
	return count && is_cut ? publication->rows[count - 1].name : NULL;
}

void publish_rows_keep_whole(struct publication *publication, size_t drops,
                             size_t drops_max)
{
	const char *drop = cut_at(publication, drops, drops == drops_max);
	const char *add = cut_at(publication, publication->count,
	                         publication->count == publication->limit);
	const char *first = drop && (!add || strcmp(drop, add) < 0) ? drop : add;
	size_t kept = 0;

	if (!drops || !first)
		return;				/* what only comes is away anyhow */
	for (size_t i = 0; i < publication->count; i++)
		if (strcmp(publication->rows[i].name, first) < 0)
			publication->rows[kept++] = publication->rows[i];
	if (kept)				/* else: it is all of one name */
		publication->count = kept;
}

/* ---- all of them are done ---- */

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
	struct tx tx = publish_begin_guarded(publication, why);

	store_zone_done(&tx, &publication->zone, publication->rows, publication->count);
	note_domain(publication, &tx);
	return tx_commit(&tx);
}

static void was_done(struct publication *publication)
{
	struct why why;

	if (tx_retry_on_loop(write_done, publication, &why)) {
		publish_give_up(publication, why.text);
		return;
	}
	metric_add(figures.changes, 1);
	metric_add(figures.records, (int64_t)publication->count);
	log_info("domain published: domain=%s tenant=\"%s\" records=%zu",
	         publication->zone.zone, publication->zone.project_id,
	         publication->count);
	publication->limit = publication->limit < PUBLISH_ROWS_MAX / FASTER
	                     ? FASTER * publication->limit : PUBLISH_ROWS_MAX;
	publish_look(publication);
}

/* ---- fewer of them, or none ---- */

static void look_at_half(struct publication *publication)
{
	publication->limit = publication->count / 2;
	publish_look(publication);
}

/* As many as there is room for; the others wait until somebody makes more. */
static void met_quota(struct publication *publication, const char *reason)
{
	if (publication->count > 1)
		look_at_half(publication);
	else
		publish_give_up(publication, reason);
}

static enum err write_refused(void *self, struct why *why)
{
	struct publication *publication = self;
	struct tx tx = publish_begin_guarded(publication, why);

	store_zone_refused(&tx, &publication->rows[0], publication->refusal);
	return tx_commit(&tx);
}

/* For whoever can do something about it. */
static void tell_refused(const struct publication *publication)
{
	const struct record_row *row = &publication->rows[0];
	const char *reason = publication->refusal;
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
	if (publication->count > 1) {
		look_at_half(publication);
		return;
	}
	tell_refused(publication);
	publish_look_after(publication, write_refused);
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
		publish_give_up(publication, "the domain is being deleted");
	else if (answer->err)
		publish_give_up(publication, answer->why.text);
	else
		was_refused(publication);
}

/* By the domain, or by what is there already? */
static void met_conflict(struct publication *publication)
{
	publish_ask(publication, "get_domain",
	            json_pack("{s:s}", "domain", publication->zone.zone), hear_domain);
}

/* Of these a single record may be the cause; all else passes, or is no record's fault. */
static bool is_refusal(enum err err)
{
	return err == ERR_INVALID || err == ERR_CONFLICT || err == ERR_TOO_LARGE;
}

static void met_refusal(struct publication *publication, const struct rpc_answer *answer)
{
	publication->refusal = arena_strdup(publication->arena, answer->why.text);
	if (answer->err == ERR_CONFLICT)
		met_conflict(publication);
	else
		was_refused(publication);
}

/* ---- one change ---- */

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

/*
 * Its next id is written before it is asked for, for the answer may be lost; one that was
 * never answered is said again, and may have been taken by now.
 */
static enum err write_missing(void *self, struct why *why)
{
	struct publication *publication = self;
	struct tx tx = publish_begin_guarded(publication, why);

	if (!publish_may_create(publication))
		*publication->row.made_id = '\0';
	else if (!*publication->row.made_id ||
	         !strcmp(publication->row.made_id, publication->row.domain_id))
		id_random(publication->row.made_id);
	store_zone_made(&tx, &publication->zone, publication->row.made_id);
	store_zone_lost(&tx, &publication->zone);
	return tx_commit(&tx);
}

/* Before it is made again, so that whoever dies meanwhile leaves all of it open. */
static void rows_miss_domain(struct publication *publication)
{
	publication->domain = PUBLISH_MISSING;
	publish_look_after(publication, write_missing);
}

static void hear_changed(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;
	const char *id = json_string_value(json_object_get(answer->result, "id"));

	snprintf(publication->domain_id, sizeof(publication->domain_id), "%s",
	         id ? id : "");
	if (!answer->err)
		was_done(publication);
	else if (answer->err == ERR_NOT_FOUND && publication->domain == PUBLISH_ASSUMED)
		rows_miss_domain(publication);
	else if (answer->err == ERR_NOT_FOUND)
		publish_not_ours(publication);
	else if (answer->err == ERR_QUOTA)
		met_quota(publication, answer->why.text);
	else if (is_refusal(answer->err))
		met_refusal(publication, answer);
	else
		publish_give_up(publication, answer->why.text);
}

void publish_rows(struct publication *publication)
{
	json_t *changes = changes_of(publication);

	if (!json_array_size(changes)) {
		json_decref(changes);
		was_done(publication);
		return;
	}
	publish_ask(publication, "apply_changes", json_pack("{s:s, s:o}", "domain",
	    publication->zone.zone, "changes", changes), hear_changed);
}
