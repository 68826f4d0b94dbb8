#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "model/presentation.h"
#include "publish_private.h"
#include "runtime/metrics.h"

/* factor by which the limit grows after a success */
enum { FASTER = 4 };

static struct publish_metrics {
	struct metric *changes, *records, *restored, *refused;
} publish_totals;

void publish_rows_metrics(void)
{
	publish_totals.changes = metric_new(METRIC_COUNTER, "ports_changes_total",
	    "successful changes to domains", NULL, NULL);
	publish_totals.records = metric_new(METRIC_COUNTER, "ports_records_total",
	    "records of ports that zonefleet-ports added or deleted. Only successful "
	    "changes count",
	    NULL, NULL);
	publish_totals.restored = metric_new(METRIC_COUNTER, "ports_restored_total",
	    "restored records of ports. Other programs had deleted these "
	    "records", NULL, NULL);
	publish_totals.refused = metric_new(METRIC_COUNTER, "ports_refused_total",
	    "records that central refused because they conflict with other records. The "
	    "ports of these records are in ERROR", NULL, NULL);
}

/* ---- the limit ---- */

/* The name of the last of COUNT rows, if more rows may follow; otherwise NULL. */
static const char *publish_cut(const struct publication *publication, size_t count,
                               bool is_cut)
{
	return count && is_cut ? publication->rows[count - 1].name : NULL;
}

void publish_rows_keep_whole(struct publication *publication, size_t drops,
                             size_t drops_max)
{
	const char *drop = publish_cut(publication, drops, drops == drops_max);
	const char *add = publish_cut(publication, publication->count,
	                              publication->count == publication->limit);
	const char *first = drop && (!add || strcmp(drop, add) < 0) ? drop : add;
	size_t kept = 0;

	if (!drops || !first)
		return;
	for (size_t i = 0; i < publication->count; i++)
		if (strcmp(publication->rows[i].name, first) < 0)
			publication->rows[kept++] = publication->rows[i];
	if (kept)				/* 0: all rows have the same name */
		publication->count = kept;
}

/* ---- success ---- */

/* If another domain accepted the change, the records of the old domain are lost. */
static void publish_write_domain(const struct publication *publication, struct tx *tx)
{
	const char *id = publication->domain_id, *was = publication->row.domain_id;

	if (!*id || !strcmp(id, was))
		return;
	store_zone_known(tx, publication->zone.zone, id);
	if (*was)
		store_zone_lost_all(tx, &publication->zone);
}

static void publish_write_done(void *object, struct tx *tx)
{
	const struct publication *publication = object;

	store_zone_done(tx, &publication->zone, publication->rows, publication->count);
	if (publication->is_changed)
		store_zone_seen(tx, publication->zone.zone, publication->version);
	publish_write_domain(publication, tx);
}

static void publish_raise_limit(struct publication *publication)
{
	publication->limit = publication->limit < PUBLISH_ROWS_MAX / FASTER
	                     ? FASTER * publication->limit : PUBLISH_ROWS_MAX;
}

static void publish_on_done(void *object)
{
	struct publication *publication = object;

	metric_add(publish_totals.changes, 1);
	metric_add(publish_totals.records, (int64_t)publication->count);
	log_info("domain updated in central: domain=%s tenant=\"%s\" records=%zu",
	         publication->zone.zone, publication->zone.project_id,
	         publication->count);
	publish_raise_limit(publication);
	work_step(publication);
}

static void publish_rows_done(struct publication *publication)
{
	work_write_then(publication, publish_write_done, publish_on_done);
}

/* ---- published rows ---- */

/* Notes the version after our change. Each change raises the version by one. */
static void publish_note_version(struct publication *publication, const json_t *answer)
{
	struct confirmation *now = &publication->confirmation;

	publication->version = (uint64_t)json_integer_value(json_object_get(answer,
	                                                                    "version"));
	publication->is_changed = json_is_true(json_object_get(answer, "changed"));
	if (now->is_begun &&
	    publication->version != now->version + publication->is_changed)
		now->is_disturbed = true;
	now->is_begun |= publication->is_again;
	now->version = publication->version;
}

static void publish_again_done(struct publication *publication, const json_t *answer)
{
	const struct record_row *last = &publication->rows[publication->count - 1];
	struct confirmation *now = &publication->confirmation;
	int64_t added = json_integer_value(json_object_get(answer, "added"));

	snprintf(now->name, sizeof(now->name), "%s", last->name);
	snprintf(now->data, sizeof(now->data), "%s", last->data);
	now->type = last->type;
	if (added) {
		metric_add(publish_totals.restored, added);
		log_warn("zonefleet-ports added deleted records again: domain=%s "
		         "tenant=\"%s\" records=%" PRId64, publication->zone.zone,
		         publication->zone.project_id, added);
	}
	publish_raise_limit(publication);
	work_step(publication);
}

/* ---- refusals ---- */

static void publish_half(struct publication *publication)
{
	publication->limit = publication->count / 2;
	work_step(publication);
}

/* Halves the change until the rest fits; the other rows wait for a larger quota. */
static void publish_over_quota(struct publication *publication, const char *reason)
{
	if (publication->count > 1)
		publish_half(publication);
	else
		work_fail(publication, reason);
}

static void publish_write_refused(void *object, struct tx *tx)
{
	const struct publication *publication = object;

	store_zone_refused(tx, &publication->rows[0], publication->refusal);
}

static void publish_notify_refused(const struct publication *publication)
{
	const struct record_row *row = &publication->rows[0];
	const char *reason = publication->refusal;
	json_t *payload = json_pack("{s:s, s:s, s:s, s:s, s:s}", "port", row->port_id,
	                            "domain", row->zone, "name", row->name, "data",
	                            row->data, "reason", reason);
	struct why why;

	metric_add(publish_totals.refused, 1);
	log_warn("central refused a record of a port: domain=%s name=%s port=%s "
	         "reason=\"%s\"", row->zone,
	         row->name, row->port_id, reason);
	if (rpc_notify(publication->ports->runtime.rpc, "dns.port.error", payload, &why))
		log_warn("notification not sent: event=dns.port.error port=%s "
		         "reason=\"%s\"", row->port_id, why.text);
	json_decref(payload);
}

/* Halves the change until the bad row is alone. */
static void publish_rows_refused(struct publication *publication)
{
	if (publication->count > 1) {
		publish_half(publication);
		return;
	}
	publish_notify_refused(publication);
	work_write_then(publication, publish_write_refused, work_step);
}

static bool publish_is_being_deleted(const struct rpc_answer *answer)
{
	const char *task = json_string_value(json_object_get(answer->result, "task"));

	return answer->err == ERR_NOT_FOUND || (task && !strcmp(task, "DELETE"));
}

static void publish_on_domain(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;

	if (publish_is_being_deleted(answer))
		work_fail(publication, "the domain does not exist, or central is "
		          "deleting the domain");
	else if (answer->err)
		work_fail(publication, answer->why.text);
	else
		publish_rows_refused(publication);
}

/*
 * True: the tenant has only a share of the domain, and may not add a record. For a
 * record to delete, the call is tried again, because a refused row becomes a row to add.
 */
static bool publish_is_unshared(const struct publication *publication,
                                const struct rpc_answer *answer)
{
	return answer->err == ERR_DENIED &&
	       !strncmp(answer->why.text, "changes[", strlen("changes[")) &&
	       publication->rows[0].state != RECORD_DROP;
}

/*
 * True: the error concerns a record. Other errors are temporary, or concern more than a
 * record.
 */
static bool publish_is_refusal(const struct publication *publication,
                               const struct rpc_answer *answer)
{
	enum err err = answer->err;

	return err == ERR_INVALID || err == ERR_CONFLICT || err == ERR_TOO_LARGE ||
	       publish_is_unshared(publication, answer);
}

static void publish_on_refusal(struct publication *publication,
                               const struct rpc_answer *answer)
{
	publication->refusal = arena_strdup(publication->work.arena,
	                                    err_without_field(answer->why.text));
	if (answer->err == ERR_CONFLICT)
		publish_call(publication, "get_domain",
		             json_pack("{s:s}", "domain", publication->zone.zone),
		             publish_on_domain);
	else
		publish_rows_refused(publication);
}

/* ---- one change ---- */

static bool publish_is_same_set(const struct record_row *a, const struct record_row *b)
{
	return a->state == b->state && a->type == b->type && !strcmp(a->name, b->name);
}

/*
 * If the domain contained a record before a port wanted it, central must not delete it
 * with the port. So central deletes only records that this program manages.
 */
static json_t *publish_change(const struct record_row *row, json_t *records)
{
	char type[16];

	rrtype_format(row->type, type);
	return json_pack("{s:s, s:s, s:s, s:o, s:s}", "op",
	                 row->state == RECORD_DROP ? "delete" : "add", "name", row->name,
	                 "type", type, "records", records, "managed_by", "ports");
}

/* One change for each record set. A record that another port also has is not deleted. */
static json_t *publish_changes(const struct publication *publication)
{
	const struct record_row *rows = publication->rows, *last = NULL;
	json_t *changes = json_array(), *records = NULL;

	for (size_t i = 0; i < publication->count; i++) {
		if (rows[i].is_shared)
			continue;
		if (!last || !publish_is_same_set(last, &rows[i])) {
			records = json_array();
			json_array_append_new(changes,
			                      publish_change(&rows[i], records));
		}
		json_array_append_new(records, json_string(rows[i].data));
		last = &rows[i];
	}
	return changes;
}

/*
 * Opens all rows again before the domain is created, so that no record is lost if this
 * process dies. The id of the new domain is written before the call, because the answer
 * may be lost. The id of a call without an answer is used again, because that call may
 * have succeeded.
 */
static void publish_write_missing(void *object, struct tx *tx)
{
	struct publication *publication = object;

	if (!publish_can_create(publication))
		*publication->row.made_id = '\0';
	else if (!*publication->row.made_id ||
	         !strcmp(publication->row.made_id, publication->row.domain_id))
		id_random(publication->row.made_id);
	store_zone_made(tx, &publication->zone, publication->row.made_id);
	store_zone_lost(tx, &publication->zone);
}

static void publish_on_changed(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;
	const char *id = json_string_value(json_object_get(answer->result, "id"));

	snprintf(publication->domain_id, sizeof(publication->domain_id), "%s",
	         id ? id : "");
	if (!answer->err) {
		publish_note_version(publication, answer->result);
		if (publication->is_again &&
		    !strcmp(publication->domain_id, publication->row.domain_id))
			publish_again_done(publication, answer->result);
		else
			publish_rows_done(publication);
	} else if (answer->err == ERR_NOT_FOUND &&
	           publication->domain == PUBLISH_ASSUMED) {
		publication->domain = PUBLISH_MISSING;
		work_write_then(publication, publish_write_missing, work_step);
	} else if (answer->err == ERR_NOT_FOUND) {
		publish_fail_no_domain(publication);
	} else if (answer->err == ERR_QUOTA) {
		publish_over_quota(publication, answer->why.text);
	} else if (publish_is_refusal(publication, answer)) {
		publish_on_refusal(publication, answer);
	} else {
		work_fail(publication, answer->why.text);
	}
}

void publish_rows(void *object)
{
	struct publication *publication = object;
	json_t *changes = publish_changes(publication);

	if (!json_array_size(changes)) {
		json_decref(changes);
		publish_rows_done(publication);
		return;
	}
	publish_call(publication, "apply_changes", json_pack("{s:s, s:o}", "domain",
	    publication->zone.zone, "changes", changes), publish_on_changed);
}
