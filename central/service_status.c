#include "service.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "core/status.h"
#include "model/messages.h"
#include "runtime/metrics.h"

enum { PORTIONS_MS = 500, LOCKED_MS = 30 };

/* A report on its way; `at` is its place in the message. */
struct reported {
	struct pool_report report;
	size_t at;
	struct domain_state before;	/* no id: no such domain, or it is locked */
	struct state after;
	const char *reason;
	bool more;			/* a portion of its records was settled */
	bool counted;			/* settle_alike() has been here */
	bool told;			/* of its move */
};

/* By domain, so that two bursts lock in the same order; within one, the newest last. */
static int compare(const void *a, const void *b)
{
	const struct reported *x = a, *y = b;
	int order = strcmp(x->report.domain.id, y->report.domain.id);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

static bool is_moved(const struct reported *r)
{
	return *r->before.id && !r->more &&
	       (r->before.is.task != r->after.task ||
	        r->before.is.status != r->after.status);
}

/* ---- one pass: each domain has one report ---- */

/*
 * Of a report on a domain that is unknown, or deleted already, there is
 * nothing to do.
 */
static void lock_domains(struct tx *tx, struct arena *arena,
                         struct reported *const *reports, size_t count)
{
	const char *ids[LIST_MAX];
	struct domain_state found[LIST_MAX];
	size_t n, at = 0;

	for (size_t i = 0; i < count; i++)
		ids[i] = reports[i]->report.domain.id;
	n = store_domain_lock_states(tx, ids, count, arena, found);
	for (size_t i = 0; i < count; i++) {
		struct reported *r = reports[i];

		*r->before.id = '\0';
		r->more = r->counted = false;
		if (at == n || strcmp(found[at].id, r->report.domain.id))
			continue;
		r->before = found[at++];
		r->after = status_next(SUBJECT_DOMAIN, r->before.is, r->report.report,
		                       r->report.serial);
		r->reason = r->after.status == STATUS_ERROR ? r->report.reason : "";
	}
}

/*
 * A domain that goes takes its records along: as soon as its row says DELETED
 * no statement sees them, and the sweep removes them bit by bit, for a zone
 * may have a million. Their states stay valid pairs meanwhile. Likewise the
 * records of a large zone move in portions, each in a transaction; the domain
 * follows with the last of them.
 */
static void settle_records(struct tx *tx, struct arena *arena, enum report report,
                           struct reported *const *reports, size_t count)
{
	struct settled settled[LIST_MAX];
	size_t from[LIST_MAX], n = 0;
	bool more;

	for (size_t i = 0; i < count; i++) {
		const struct reported *r = reports[i];

		if (!*r->before.id || r->report.report != report ||
		    r->after.status == STATUS_DELETED)
			continue;
		from[n] = i;
		settled[n].domain_id = r->before.id;
		settled[n++].serial = r->report.serial;
	}
	more = n && store_record_settle(tx, arena, report, settled, n);
	/* one that is large does not keep the others from their end */
	for (size_t i = 0; i < n && more; i++)
		reports[from[i]]->more =
		    n == 1 || store_record_settle(tx, arena, report, &settled[i], 1);
}

static bool same_outcome(const struct reported *a, const struct reported *b)
{
	return a->after.task == b->after.task && a->after.status == b->after.status &&
	       !strcmp(a->reason, b->reason);
}

/* All that ends as FIRST does, which is one statement. */
static void settle_alike(struct tx *tx, struct arena *arena, const struct reported *first,
                         struct reported *const *reports, size_t count)
{
	const char *ids[LIST_MAX];
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (!reports[i]->counted && is_moved(reports[i]) &&
		    same_outcome(reports[i], first)) {
			reports[i]->counted = true;
			ids[n++] = reports[i]->before.id;
		}
	store_domain_settle(tx, arena, ids, n, &first->after, first->reason);
}

static void settle_pass(struct tx *tx, struct arena *arena,
                        struct reported *const *reports, size_t count)
{
	lock_domains(tx, arena, reports, count);
	for (enum report report = 0; report < REPORT_COUNT; report++)
		settle_records(tx, arena, report, reports, count);
	for (size_t i = 0; i < count; i++)
		if (!reports[i]->counted && is_moved(reports[i]))
			settle_alike(tx, arena, reports[i], reports + i, count - i);
}

/* ---- a message ---- */

/*
 * One transaction. A domain of which there are several reports has one in
 * each pass, in their order; mostly there is one pass.
 */
static enum err settle_all(struct central *central, struct arena *arena,
                           struct reported *reports, size_t count, struct why *why)
{
	struct reported *pass[LIST_MAX];
	bool done[LIST_MAX] = { false };
	struct tx tx = tx_begin(central->runtime->db, why);

	for (size_t n = 1; n && !tx.err;) {
		n = 0;
		for (size_t i = 0; i < count; i++) {
			const char *id = reports[i].report.domain.id;

			if (done[i] || (n && !strcmp(pass[n - 1]->report.domain.id, id)))
				continue;
			done[i] = true;
			pass[n++] = &reports[i];
		}
		if (n)
			settle_pass(&tx, arena, pass, n);
	}
	return tx_commit(&tx);
}

static bool any_more(const struct reported *reports, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (reports[i].more)
			return true;
	return false;
}

static struct metric *propagation;

void service_metrics(void)
{
	propagation = metric_new(METRIC_HISTOGRAM, "propagation_seconds",
	                         "time from the last change of a domain until it is "
	                         "ACTIVE", NULL, NULL);
}

static void tell_moves(struct reported *reports, size_t count)
{
	for (struct reported *r = reports; r < reports + count; r++) {
		const struct state *state = &r->after;

		if (r->told || !is_moved(r))
			continue;
		r->told = true;
		if (state->status == STATUS_ACTIVE)
			metric_observe_us(propagation, r->before.changed_us);
		log_info("domain moved: domain=%s serial=%" PRIu32 " task=%s "
		         "status=%s reason=\"%s\"",
		         r->before.name, state->serial, task_name(state->task),
		         status_name(state->status), r->reason);
	}
}

/*
 * Portion by portion, for as long as the loop can do without us; the rest at the next
 * try.
 */
static enum err settle_portions(struct central *central, struct arena *arena,
                                struct reported *reports, size_t count, struct why *why)
{
	int64_t until_ms = clock_ms() + PORTIONS_MS;
	enum err err;

	do {
		err = settle_all(central, arena, reports, count, why);
		if (!err)
			tell_moves(reports, count);
	} while (!err && any_more(reports, count) && clock_ms() < until_ms);
	return err;
}

static void note_outcome(const struct reported *r, enum err err, const struct why *why,
                         json_t *outcomes)
{
	struct why own = *why;

	if (!err && r->more)
		err = fail(&own, ERR_BUSY,
		           "the records of %.200s are being settled: report again",
		           r->before.name);
	json_array_set_new(outcomes, r->at, outcome_encode(err, &own));
}

/* One that was not locked is gone, and so settled, or another holds it. */
static enum err check_gone(struct central *central, const struct reported *r,
                           struct why *why)
{
	struct tx tx = tx_autocommit(central->runtime->db, why);

	if (store_domain_lives(&tx, r->report.domain.id))
		tx_fail(&tx, ERR_LOCKED, "%.200s is being changed: report again",
		        r->report.domain.name);
	return tx_commit(&tx);
}

static enum err settle_alone(struct central *central, struct request *req,
                             struct reported *r, json_t *outcomes)
{
	struct why why = { "" };
	enum err err = settle_portions(central, req->arena, r, 1, &why);

	if (!err && !*r->before.id)
		err = check_gone(central, r, &why);
	note_outcome(r, err, &why, outcomes);
	return err;
}

/*
 * All that can be locked at once is settled together. What another holds, or
 * is not there, comes behind, one by one, and so does all of it should it fail
 * for good: one bad row, or one long import, does not hold up the rest. The
 * message waits a little for what is held; then that is to be reported again.
 */
static enum err settle_message(struct central *central, struct request *req,
                               struct reported *reports, size_t count, json_t *outcomes)
{
	enum err err = settle_portions(central, req->arena, reports, count, &req->why);

	bool locked = false;

	if (err && err_retry(err) != RETRY_NEVER)
		return err;
	for (size_t i = 0; i < count; i++) {
		if (err || !*reports[i].before.id)
			locked |= settle_alone(central, req, &reports[i], outcomes) ==
			          ERR_LOCKED;
		else
			note_outcome(&reports[i], OK, &req->why, outcomes);
	}
	if (locked && req->waited_ms < LOCKED_MS)
		return fail(&req->why, ERR_LOCKED, "a domain is being changed");
	return OK;
}

static enum err settle_list(struct central *central, struct request *req,
                            const struct pool_reports *list, json_t *outcomes)
{
	struct reported *reports = arena_alloc(req->arena,
	                                       (list->count + 1) * sizeof(*reports));

	memset(reports, 0, (list->count + 1) * sizeof(*reports));
	for (size_t i = 0; i < list->count; i++) {
		reports[i].report = list->item[i];
		reports[i].at = i;
		json_array_append_new(outcomes, json_null());
	}
	qsort(reports, list->count, sizeof(*reports), compare);
	return list->count ? settle_message(central, req, reports, list->count, outcomes)
	                   : OK;
}

enum err service_update_statuses(void *self, struct request *req)
{
	struct pool_reports list;
	enum err err = access_require_admin(req);

	if (!err)
		err = pool_reports_decode(req->args, req->arena, &list, &req->why);
	if (err)
		return err;
	req->result = json_array();
	err = settle_list(self, req, &list, req->result);
	if (!err)
		return OK;
	json_decref(req->result);
	req->result = NULL;
	return err;
}

enum err service_update_status(void *self, struct request *req)
{
	struct pool_report report;
	json_t *outcomes;
	enum err err = access_require_admin(req);

	if (!err)
		err = pool_report_decode(req->args, &report, &req->why);
	if (err)
		return err;
	outcomes = json_array();
	err = settle_list(self, req, &(struct pool_reports){ &report, 1 }, outcomes);
	if (!err)
		err = outcome_decode(outcomes, 0, &req->why);
	json_decref(outcomes);
	return err;
}
