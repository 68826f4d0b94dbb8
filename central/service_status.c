#include "service.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "core/status.h"
#include "model/messages.h"
#include "runtime/metrics.h"
#include "usage.h"

enum {
	TURN_MS = 50,			/* of the loop */
	PORTIONS_MS = 500,		/* of a message, in several turns */
	LOCKED_MS = 30,
};

/* One report of a message; `at` is its index in the message. */
struct reported {
	struct pool_report report;
	size_t at;
	struct domain_state before;	/* no id: the domain is locked or deleted */
	struct state after;
	const char *reason;
	/* more records must move in another transaction */
	bool more;
	bool is_written;		/* reports_move_domains() has written it */
	bool is_logged;
};

/*
 * Orders by domain, so that two messages lock in the same order, and by age: the newest
 * report of a domain is the last.
 */
static int reports_compare(const void *a, const void *b)
{
	const struct reported *x = a, *y = b;
	int order = strcmp(x->report.domain.id, y->report.domain.id);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

static bool report_moves_domain(const struct reported *r)
{
	return *r->before.id && !r->more &&
	       (r->before.is.task != r->after.task ||
	        r->before.is.status != r->after.status);
}

/* ---- a pass: one report of each domain ---- */

/* A report about an unknown or deleted domain has no effect. */
static void reports_lock_domains(struct tx *tx, struct arena *arena,
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
		r->more = r->is_written = false;
		if (at == n || strcmp(found[at].id, r->report.domain.id))
			continue;
		r->before = found[at++];
		r->after = status_next(SUBJECT_DOMAIN, r->before.is, r->report.report,
		                       r->report.serial);
		r->reason = r->after.status == STATUS_ERROR ? r->report.reason : "";
	}
}

/*
 * The records of a DELETED domain are unchanged: no statement reads them, and the sweep
 * deletes them in several steps. The records of a large zone move in several
 * transactions, and the domain moves with the last of them.
 */
static void reports_move_records(struct tx *tx, struct arena *arena, enum report report,
                                 struct reported *const *reports, size_t count)
{
	struct reported_serial serials[LIST_MAX];
	size_t from[LIST_MAX], n = 0;
	bool more;

	for (size_t i = 0; i < count; i++) {
		const struct reported *r = reports[i];

		if (!*r->before.id || r->report.report != report ||
		    r->after.status == STATUS_DELETED)
			continue;
		from[n] = i;
		serials[n].domain_id = r->before.id;
		serials[n++].serial = r->report.serial;
	}
	more = n && store_record_apply_report(tx, arena, report, serials, n);
	/* a large zone does not delay the other domains */
	for (size_t i = 0; i < n && more; i++)
		reports[from[i]]->more =
		    n == 1 || store_record_apply_report(tx, arena, report, &serials[i],
		                                        1);
}

static bool reports_agree(const struct reported *a, const struct reported *b)
{
	return a->after.task == b->after.task && a->after.status == b->after.status &&
	       !strcmp(a->reason, b->reason);
}

/* Writes all domains that get the same state as FIRST, in one statement. */
static void reports_move_domains(struct tx *tx, struct arena *arena,
                                 const struct reported *first,
                                 struct reported *const *reports, size_t count)
{
	const char *ids[LIST_MAX];
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (!reports[i]->is_written && report_moves_domain(reports[i]) &&
		    reports_agree(reports[i], first)) {
			reports[i]->is_written = true;
			ids[n++] = reports[i]->before.id;
		}
	store_domain_set_states(tx, arena, ids, n, &first->after, first->reason);
}

static void reports_apply_pass(struct tx *tx, struct arena *arena,
                               struct reported *const *reports, size_t count)
{
	reports_lock_domains(tx, arena, reports, count);
	for (enum report report = 0; report < REPORT_COUNT; report++)
		reports_move_records(tx, arena, report, reports, count);
	for (size_t i = 0; i < count; i++)
		if (!reports[i]->is_written && report_moves_domain(reports[i]))
			reports_move_domains(tx, arena, reports[i], reports + i,
			                     count - i);
}

/* Counts the deletions for their tenants, with the last statement of the transaction. */
static void reports_count_deleted(struct central *central, struct tx *tx,
                                  struct arena *arena, const struct reported *reports,
                                  size_t count)
{
	struct usage_change *changes = arena_alloc(arena, count * sizeof(*changes));
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (report_moves_domain(&reports[i]) &&
		    reports[i].after.status == STATUS_DELETED)
			changes[n++] = (struct usage_change){ reports[i].before.tenant,
			                                      -1, -1 };
	usage_subtract(central, tx, changes, n);
}

/* ---- a message ---- */

/* One transaction. Several reports of a domain take several passes, in their order. */
static enum err reports_apply_once(struct central *central, struct arena *arena,
                                   struct reported *reports, size_t count,
                                   struct why *why)
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
			reports_apply_pass(&tx, arena, pass, n);
	}
	reports_count_deleted(central, &tx, arena, reports, count);
	return tx_commit(&tx);
}

/* A domain with further records to update; NULL: there is none. */
static const struct reported *reports_find_more(const struct reported *reports,
                                                size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (reports[i].more)
			return &reports[i];
	return NULL;
}

static struct metric *propagation;

void service_metrics(void)
{
	propagation = metric_new(METRIC_HISTOGRAM, "propagation_seconds",
	                         "time from the last change to a domain until the domain "
	                         "is ACTIVE", NULL, NULL);
}

static void reports_log_moves(struct reported *reports, size_t count)
{
	for (struct reported *r = reports; r < reports + count; r++) {
		const struct state *state = &r->after;

		if (r->is_logged || !report_moves_domain(r))
			continue;
		r->is_logged = true;
		if (state->status == STATUS_ACTIVE)
			metric_observe_us(propagation, r->before.changed_us);
		log_info("domain status changed: domain=%s serial=%" PRIu32 " task=%s "
		         "status=%s reason=\"%s\"", r->before.name, state->serial,
		         task_name(state->task), status_name(state->status), r->reason);
	}
}

/* Works for at most TURN_MS, because the loop waits. `more` marks the rest. */
static enum err reports_apply(struct central *central, struct arena *arena,
                              struct reported *reports, size_t count, struct why *why)
{
	int64_t until_ms = clock_ms() + TURN_MS;
	enum err err;

	do {
		err = reports_apply_once(central, arena, reports, count, why);
		if (!err)
			reports_log_moves(reports, count);
	} while (!err && reports_find_more(reports, count) && clock_ms() < until_ms);
	return err;
}

static void report_set_outcome(const struct reported *r, enum err err,
                               const struct why *why, json_t *outcomes)
{
	struct why own = *why;

	if (!err && r->more)
		err = fail(&own, ERR_BUSY,
		           "central is still updating the records of the domain "
		           "%.200s: try again later", r->before.name);
	json_array_set_new(outcomes, r->at, outcome_encode(err, &own));
}

/* A domain that could not be locked is deleted, or another transaction has locked it. */
static enum err report_check_lock(struct central *central, const struct reported *r,
                                  struct why *why)
{
	struct tx tx = tx_autocommit(central->runtime->db, why);

	if (store_domain_is_live(&tx, r->report.domain.id))
		tx_fail(&tx, ERR_LOCKED,
		        "another transaction is changing the domain %.200s: try again "
		        "later",
		        r->report.domain.name);
	return tx_commit(&tx);
}

static enum err report_apply_alone(struct central *central, struct request *req,
                                   struct reported *r, json_t *outcomes)
{
	struct why why = { "" };
	enum err err = reports_apply(central, req->arena, r, 1, &why);

	if (!err && !*r->before.id)
		err = report_check_lock(central, r, &why);
	report_set_outcome(r, err, &why, outcomes);
	return err;
}

/*
 * Applies the reports of all domains that it can lock, then the others one by one. If the
 * common transaction fails finally, all run one by one, so that a broken row or a long
 * import does not delay other domains. The message waits LOCKED_MS for locked domains,
 * and for PORTIONS_MS it comes back to the records of large zones. After that, the pool
 * manager must report them again.
 */
static enum err reports_apply_message(struct central *central, struct request *req,
                                      struct reported *reports, size_t count,
                                      json_t *outcomes)
{
	enum err err = reports_apply(central, req->arena, reports, count, &req->why);
	const struct reported *more = err ? NULL : reports_find_more(reports, count);
	const struct reported *locked = NULL;

	if (err && err_retry(err) != RETRY_NEVER)
		return err;
	if (more && req->waited_ms < PORTIONS_MS)
		return fail(&req->why, ERR_LOCKED, "central is still updating the "
		            "records of the domain %.200s: try again later",
		            more->before.name);
	for (size_t i = 0; i < count; i++) {
		if (err || !*reports[i].before.id) {
			if (report_apply_alone(central, req, &reports[i], outcomes) ==
			    ERR_LOCKED)
				locked = &reports[i];
		} else {
			report_set_outcome(&reports[i], OK, &req->why, outcomes);
		}
	}
	if (locked && req->waited_ms < LOCKED_MS)
		return fail(&req->why, ERR_LOCKED, "another transaction is changing "
		            "the domain %.200s: try again later",
		            locked->report.domain.name);
	return OK;
}

static enum err reports_apply_list(struct central *central, struct request *req,
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
	qsort(reports, list->count, sizeof(*reports), reports_compare);
	return list->count ? reports_apply_message(central, req, reports, list->count,
	                                           outcomes)
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
	err = reports_apply_list(self, req, &list, req->result);
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
	err = reports_apply_list(self, req, &(struct pool_reports){ &report, 1 },
	                         outcomes);
	if (!err)
		err = outcome_decode(outcomes, 0, &req->why);
	json_decref(outcomes);
	return err;
}
