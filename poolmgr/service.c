#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "absences.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "evaluate.h"
#include "follow_up.h"
#include "full_scan.h"
#include "health.h"
#include "model/messages.h"
#include "model/serial.h"
#include "operation.h"
#include "order.h"
#include "peers.h"
#include "poolmgr.h"
#include "recompare.h"
#include "release.h"
#include "repair.h"
#include "runtime/tx.h"
#include "server_check.h"
#include "store.h"
#include "store_adjust.h"
#include "store_due.h"
#include "store_recompare.h"
#include "store_repair.h"
#include "unseen.h"

enum {
	PORTIONS_MS = 25,	/* later reports wait for the next turn of the loop */
	PUT_OFF_MS = 200,	/* the longest such wait of a message */
};

static struct cause service_cause(const struct request *req)
{
	return (struct cause){ .request_id = req->context.request_id };
}

static enum err service_check_pool(const struct poolmgr *poolmgr,
                                   const struct domain_ref *domain, struct why *why)
{
	if (strcmp(domain->pool, poolmgr->config.pool_name) == 0)
		return OK;
	return fail(why, ERR_INVALID, "domain.pool: must be '%s', not '%s'",
	            poolmgr->config.pool_name, domain->pool);
}

static enum err service_decode_domain(const struct poolmgr *poolmgr, struct request *req,
                                      struct domain_ref *domain)
{
	enum err err = domain_arg_decode(req->args, domain, &req->why);

	return err ? err : service_check_pool(poolmgr, domain, &req->why);
}

static enum err service_start(struct poolmgr *poolmgr, struct request *req,
                              enum action action)
{
	struct cause cause = service_cause(req);
	struct domain_ref domain;
	enum err err = service_decode_domain(poolmgr, req, &domain);

	return err ? err : order_start(poolmgr, domain.id, action, &cause, &req->why);
}

static enum err service_on_create_domain(void *self, struct request *req)
{
	return service_start(self, req, ACTION_CREATE);
}

static enum err service_on_delete_domain(void *self, struct request *req)
{
	return service_start(self, req, ACTION_DELETE);
}

/* ---- update_status: reports of mini-DNS ---- */

/* Updates the health of a server over DNS. A server without a query is left out. */
static void service_note_health(struct poolmgr *poolmgr,
                                const struct server_report *report)
{
	struct server *server = servers_find(poolmgr->servers, report->name_server);

	if (report->unasked)
		return;
	if (report->silent)
		health_failed(poolmgr->health_writer, server, CHANNEL_DNS,
		              report->reason);
	else
		health_answered(poolmgr->health_writer, server, CHANNEL_DNS);
}

static bool service_is_delete(const struct server_report *report)
{
	return report->domain.state.task == TASK_DELETE;
}

/* Changes the reasons of REPORTS. */
static enum err service_record_serials(struct poolmgr *poolmgr,
                                       struct server_report *reports, size_t count,
                                       struct why *why)
{
	struct tx tx = tx_autocommit(poolmgr->runtime.db, why);
	struct arena *arena = arena_new();
	struct recovered recovered;

	for (size_t i = 0; i < count; i++)
		reports[i].reason = unseen_reason(poolmgr, arena, &reports[i]);
	release_find(poolmgr, &tx, arena, reports, count, &recovered);
	store_reports(&tx, reports, count, false);
	store_check_locked(&tx);
	enum err err = tx_commit(&tx);
	if (!err)
		release_recovered(poolmgr, &recovered);
	arena_free(&arena);
	return err;
}

static enum action service_action(const struct server_report *report)
{
	return service_is_delete(report) ? ACTION_DELETE : ACTION_UPDATE;
}

static enum err service_evaluate(struct poolmgr *poolmgr,
                                 const struct server_report *reports,
                                 const char *const *request_ids, size_t count,
                                 struct why *why)
{
	struct domain_query queries[LIST_MAX];

	for (size_t i = 0; i < count; i++)
		queries[i] = (struct domain_query){
			.domain_id = reports[i].domain.id,
			.action = service_action(&reports[i]),
			.request_id = request_ids[i],
			.report = &reports[i],
		};
	return evaluate_all(poolmgr, queries, count, why);
}

static void service_log_report(const struct server_report *report)
{
	log_debug("server reported: domain=%s server=%s status=%s serial=%u "
	          "wanted_serial=%u reason=\"%s\"", report->domain.name,
	          report->name_server, report_name(report->report),
	          report->has_serial ? report->serial : 0,
	          report->domain.state.serial, report->reason);
}

/*
 * Writes all reports, then evaluates. The rows are read after the commit. So if two
 * processes write reports of two servers at the same time, the later one sees both rows
 * and finds the consensus.
 */
static enum err service_record(struct poolmgr *poolmgr,
                               const struct server_report *reports,
                               const char *const *request_ids, size_t count,
                               struct why *why)
{
	struct server_report absences[LIST_MAX], serials[LIST_MAX];
	size_t absence_count = 0, serial_count = 0;
	enum err err = OK;

	for (size_t i = 0; i < count; i++)
		if (service_is_delete(&reports[i]))
			absences[absence_count++] = reports[i];
		else if (!reports[i].refused)
			serials[serial_count++] = reports[i];
	if (absence_count > 0)
		err = absences_record(poolmgr, absences, absence_count,
		                      request_ids[0], why);
	if (!err && serial_count > 0)
		err = service_record_serials(poolmgr, serials, serial_count, why);
	if (!err)
		err = recompare_record(poolmgr, reports, count, why);
	return err ? err : service_evaluate(poolmgr, reports, request_ids, count, why);
}

/* Reports, and the requests with which they came. */
struct batch {
	struct server_report reports[LIST_MAX];
	const char *request_ids[LIST_MAX];
	size_t messages[LIST_MAX];	/* index of the request */
	bool locked[LIST_MAX];		/* not written: another transaction has the row */
	size_t count;
};

/* Ignores reports of servers that are not in the configuration. */
static void batch_add(struct batch *batch, const struct poolmgr *poolmgr,
                      const struct server_reports *list, const struct request *req,
                      size_t message)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!servers_find(poolmgr->servers, list->item[i].name_server))
			continue;
		batch->reports[batch->count] = list->item[i];
		batch->messages[batch->count] = message;
		batch->locked[batch->count] = false;
		batch->request_ids[batch->count++] = req->context.request_id;
	}
}

static enum err batch_find_locked(struct batch *batch, const struct poolmgr *poolmgr,
                                  struct why *why)
{
	struct arena *arena = arena_new();
	struct tx tx = tx_begin(poolmgr->runtime.db, why);

	store_find_locked(&tx, arena, batch->reports, batch->count, batch->locked);
	store_check_locked(&tx);
	enum err err = tx.err;
	tx_rollback(&tx);
	arena_free(&arena);
	return err;
}

static enum err batch_record_free(const struct batch *batch, struct poolmgr *poolmgr,
                                  struct why *why)
{
	struct server_report reports[LIST_MAX];
	const char *request_ids[LIST_MAX];
	size_t count = 0;

	for (size_t i = 0; i < batch->count; i++) {
		if (batch->locked[i])
			continue;
		reports[count] = batch->reports[i];
		request_ids[count++] = batch->request_ids[i];
	}
	return count ? service_record(poolmgr, reports, request_ids, count, why) : OK;
}

/* True: a statement may wait for a locked row (MySQL). So they are found before. */
static bool service_waits(const struct poolmgr *poolmgr)
{
	struct why why;
	struct tx tx = tx_autocommit(poolmgr->runtime.db, &why);
	bool waits = !tx_has_short_limit(&tx);

	tx_commit(&tx);
	return waits;
}

/*
 * Writes all reports together. If rows are locked, their reports are left out, and the
 * others are written. The loop does not wait for a row.
 */
static enum err batch_record(struct batch *batch, struct poolmgr *poolmgr,
                             struct why *why)
{
	enum err err = OK;

	if (service_waits(poolmgr))
		err = batch_find_locked(batch, poolmgr, why);
	if (!err)
		err = batch_record_free(batch, poolmgr, why);
	if (err != ERR_LOCKED)
		return err;
	err = batch_find_locked(batch, poolmgr, why);
	return err ? err : batch_record_free(batch, poolmgr, why);
}

/* A message with a report that was left out comes again soon. */
static void batch_note_locked(const struct batch *batch, struct request *const *reqs,
                              enum err *errs)
{
	for (size_t i = 0; i < batch->count; i++) {
		size_t message = batch->messages[i];

		if (batch->locked[i])
			errs[message] = fail(&reqs[message]->why, ERR_LOCKED,
			                     "another transaction is changing the row of "
			                     "domain %s: try again later",
			                     batch->reports[i].domain.name);
	}
}

/*
 * Writes the reports of all messages together. If the database refuses a report, each
 * message is written separately.
 */
static void service_record_messages(struct poolmgr *poolmgr,
                                    const struct server_reports *lists,
                                    struct request *const *reqs, size_t count,
                                    enum err *errs)
{
	struct batch batch = { .count = 0 };
	struct why why;
	enum err err;

	for (size_t i = 0; i < count; i++)
		if (!errs[i])
			batch_add(&batch, poolmgr, &lists[i], reqs[i], i);
	err = batch.count ? batch_record(&batch, poolmgr, &why) : OK;
	if (!err)
		batch_note_locked(&batch, reqs, errs);
	for (size_t i = 0; i < count && err; i++) {
		if (errs[i])
			continue;
		if (count > 1 && err_retry(err) == RETRY_NEVER) {
			service_record_messages(poolmgr, &lists[i], &reqs[i], 1,
			                        &errs[i]);
			continue;
		}
		errs[i] = err;
		reqs[i]->why = why;
	}
}

/* For a server whose serial is right, but whose records differ. */
static void service_note_difference(struct poolmgr *poolmgr,
                                    const struct server_report *report)
{
	const struct fault fault = {
		.kind = REPAIR_CONTENT,
		.object = report->domain.id,
		.server_id = report->name_server,
		.pool = poolmgr->config.pool_name,
		.name = report->domain.name,
		.serial = report->has_serial ? report->serial
		                             : report->domain.state.serial,
		.detail = report->reason,
		.is_hidden = report->refused,
		.transfers = report->transfers,
	};

	if (report->differs || report->refused)
		repair_observe(poolmgr, servers_find(poolmgr->servers,
		                                     report->name_server), &fault);
}

/* For a server that answers and is behind. evaluate.c finds a server that is ahead. */
static void service_note_behind(struct poolmgr *poolmgr,
                                const struct server_report *report,
                                const struct cause *cause)
{
	const struct follow_report follow = {
		.server = servers_find(poolmgr->servers, report->name_server),
		.domain = &report->domain,
		.serves = report->has_serial ? &report->serial : NULL,
		.was_sent = report->transfers > 0,
	};

	if (report->report == REPORT_ERROR && !report->silent && !report->unasked &&
	    !service_is_delete(report))
		follow_up_observe(poolmgr->follow_up, &follow, cause);
}

/*
 * Called after the reports are written. A message that waits for a locked row runs again,
 * and must not count twice: as a failure of the server, or as a confirmed drift.
 */
static void service_note_reports(struct poolmgr *poolmgr,
                                const struct server_reports *list,
                                const struct request *req)
{
	const struct cause cause = { .request_id = req->context.request_id,
	                             .recovery = true };

	for (size_t i = 0; i < list->count; i++)
		if (servers_find(poolmgr->servers, list->item[i].name_server)) {
			service_log_report(&list->item[i]);
			service_note_health(poolmgr, &list->item[i]);
			service_note_difference(poolmgr, &list->item[i]);
			service_note_behind(poolmgr, &list->item[i], &cause);
		}
}

/* The loop has its turn before the message comes again. */
static enum err service_put_off(struct request *req)
{
	return fail(&req->why, ERR_LOCKED,
	            "too many reports arrived at the same time: try again later");
}

static void service_on_update_statuses(void *self, struct request *const *reqs,
                                       size_t count, enum err *errs)
{
	struct server_reports *lists =
		arena_alloc(reqs[0]->arena, count * sizeof(*lists));
	size_t from = 0, reports = 0;
	int64_t until_ms = clock_ms() + PORTIONS_MS;

	for (size_t i = 0; i < count; i++) {
		lists[i].count = 0;
		if (from && clock_ms() >= until_ms && reqs[i]->waited_ms < PUT_OFF_MS) {
			errs[i] = service_put_off(reqs[i]);
			continue;
		}
		errs[i] = server_reports_decode(reqs[i]->args, reqs[i]->arena, &lists[i],
		                                &reqs[i]->why);
		if (errs[i])
			lists[i].count = 0;
		if (reports + lists[i].count > LIST_MAX) {
			service_record_messages(self, lists + from, reqs + from, i - from,
			                        errs + from);
			from = i;
			reports = 0;
		}
		reports += lists[i].count;
	}
	service_record_messages(self, lists + from, reqs + from, count - from,
	                        errs + from);
	for (size_t i = 0; i < count; i++)
		if (!errs[i])
			service_note_reports(self, &lists[i], reqs[i]);
}

static enum err service_on_update_status(void *self, struct request *req)
{
	struct server_report report;
	struct server_reports one = { &report, 1 };
	enum err err = server_report_decode(req->args, &report, &req->why);

	if (err)
		return err;
	service_record_messages(self, &one, &req, 1, &err);
	if (!err)
		service_note_reports(self, &one, req);
	return err;
}

/* ---- update_servers: results of check_servers ---- */

static enum err service_on_update_servers(void *self, struct request *req)
{
	struct poolmgr *poolmgr = self;
	struct server_answers answers;
	enum err err = server_answers_decode(req->args, req->arena, &answers, &req->why);

	for (size_t i = 0; i < answers.count && !err; i++)
		server_check_answered(poolmgr, &answers.item[i]);
	return err;
}

/* ---- update_domains ---- */

/* Why the server gets no poll; NULL: it gets one. */
static const char *service_not_asked(const struct server *server, struct why *why)
{
	if (server_lacks_address(server, why))
		return why->text;
	return server_fails(server, CHANNEL_DNS)
	           ? REPORT_SILENCE_WORDS "; the pool managers send only probes to "
	             "the server until the server answers"
	           : NULL;
}

/* Writes our own reports for a server that gets no poll. */
static void service_record_unreachable(struct poolmgr *poolmgr,
                                       const struct domain_refs *domains,
                                       const struct server *server, const char *reason,
                                       const struct cause *cause)
{
	struct batch batch = { .count = domains->count };
	struct why why;

	for (size_t i = 0; i < domains->count; i++) {
		batch.reports[i] = (struct server_report){
			.domain = domains->item[i],
			.name_server = server->settings->id,
			.report = REPORT_ERROR,
			.reason = reason,
		};
		batch.request_ids[i] = cause->request_id;
	}
	enum err err = batch_record(&batch, poolmgr, &why);

	if (err)	/* the sync will find that the server is behind */
		log_warn("failure of a server not recorded: server=%s err=%s "
		         "reason=\"%s\"", server->settings->id, err_name(err), why.text);
}

/*
 * A server that is known to be silent gets no poll for each change: its row is in error
 * immediately, and the retries update it when it answers again. A server with a poll
 * gets no row here: its old serial in its row is enough. All domains are for the same
 * servers.
 */
static void service_notify_alike(struct poolmgr *poolmgr,
                                 const struct domain_refs *domains,
                                 const struct cause *cause)
{
	struct server_list asked_servers = { .count = 0 };
	const struct server **asked;
	const char *reason;
	struct why why;

	if (!domains->count)
		return;
	asked_servers.servers = asked = xcalloc(poolmgr->servers->count, sizeof(*asked));
	for (size_t i = 0; i < poolmgr->servers->count; i++) {
		const struct server *server = &poolmgr->servers->item[i];

		if (!server_has(server, domains->item))
			continue;
		reason = service_not_asked(server, &why);
		if (reason)
			service_record_unreachable(poolmgr, domains, server, reason,
			                           cause);
		else
			asked[asked_servers.count++] = server;
	}
	peers_notify_all(poolmgr->peers, domains, &asked_servers, cause);
	for (size_t i = 0; i < domains->count; i++)
		peers_notify_also(poolmgr->peers, &domains->item[i], cause);
	free(asked);
}

/* After an error, the next sync evaluates the domain. */
static void service_evaluate_unserved(struct poolmgr *poolmgr,
                                      const struct domain_ref *domain,
                                      const struct cause *cause)
{
	struct why why;
	enum err err = evaluate_unserved(poolmgr, domain, ACTION_UPDATE, cause, &why);

	if (err)
		log_warn("domain without a server not evaluated: domain=%s err=%s "
		         "reason=\"%s\"", domain->name, err_name(err), why.text);
}

static void service_notify(struct poolmgr *poolmgr, const struct domain_refs *domains,
                           const struct cause *cause)
{
	struct domain_ref list[LIST_MAX];
	struct domain_refs alike = { list, 0 };

	for (int of_catalogs = 0; of_catalogs <= 1; of_catalogs++) {
		alike.count = 0;
		for (size_t i = 0; i < domains->count; i++)
			if (domains->item[i].is_catalog == of_catalogs)
				list[alike.count++] = domains->item[i];
		service_notify_alike(poolmgr, &alike, cause);
	}
	for (size_t i = 0; i < domains->count; i++)
		service_evaluate_unserved(poolmgr, &domains->item[i], cause);
}

static enum err service_on_update_domain(void *self, struct request *req)
{
	struct poolmgr *poolmgr = self;
	struct cause cause = service_cause(req);
	struct domain_ref domain;
	enum err err = service_decode_domain(poolmgr, req, &domain);

	if (!err)
		service_notify(poolmgr, &(struct domain_refs){ &domain, 1 }, &cause);
	return err;
}

/*
 * For an operator: makes pending work due now, and polls all servers. DEEP: mini-DNS also
 * compares the records, the pool manager checks the settings of the zones, and parked
 * drift is repaired again.
 */
static enum err service_sync_now(struct poolmgr *poolmgr, struct request *req, bool deep)
{
	struct cause cause = service_cause(req);
	struct domain_ref domain;
	enum err err = service_decode_domain(poolmgr, req, &domain);

	if (err)
		return err;
	struct tx tx = tx_autocommit(poolmgr->runtime.db, &req->why);
	store_make_due(&tx, domain.id);
	if (deep) {
		store_drift_unpark(&tx, domain.id);
		store_end_pauses(&tx, domain.id);
		store_adjust_one_again(&tx, domain.id);
	}
	store_check_locked(&tx);
	err = tx_commit(&tx);
	if (err || domain.state.task == TASK_DELETE ||
	    domain.state.status == STATUS_DELETED)
		return err;
	service_notify(poolmgr, &(struct domain_refs){ &domain, 1 }, &cause);
	if (deep)
		full_scan_compare(poolmgr, &domain, &cause);
	return OK;
}

static enum err service_on_sync_domain(void *self, struct request *req)
{
	return service_sync_now(self, req, false);
}

static enum err service_on_compare_domain(void *self, struct request *req)
{
	return service_sync_now(self, req, true);
}

static enum err service_decode_domains(const struct poolmgr *poolmgr, struct request *req,
                                       struct domain_refs *domains)
{
	enum err err = domain_refs_decode(req->args, req->arena, domains, &req->why);

	for (size_t i = 0; !err && i < domains->count; i++)
		err = service_check_pool(poolmgr, &domains->item[i], &req->why);
	return err;
}

/* A newer order of the batch replaces an older one. */
static void service_add_newest(struct domain_refs *all, const struct domain_ref *domain)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->item[i].id, domain->id) == 0) {
			if (serial_covers(domain->state.serial,
			                  all->item[i].state.serial))
				all->item[i] = *domain;
			return;
		}
	all->item[all->count++] = *domain;
}

static void service_on_update_domains(void *self, struct request *const *reqs,
                                      size_t count, enum err *errs)
{
	struct poolmgr *poolmgr = self;
	struct domain_ref list[LIST_MAX];
	struct domain_refs all = { list, 0 };
	struct cause cause = service_cause(reqs[0]);

	for (size_t i = 0; i < count; i++) {
		struct domain_refs got;

		errs[i] = service_decode_domains(poolmgr, reqs[i], &got);
		if (errs[i])
			continue;
		if (all.count + got.count > LIST_MAX) {
			service_notify(poolmgr, &all, &cause);
			all.count = 0;
		}
		for (size_t at = 0; at < got.count; at++)
			service_add_newest(&all, &got.item[at]);
	}
	service_notify(poolmgr, &all, &cause);
}

const struct rpc_method poolmgr_methods[] = {
	{ "create_domain",   service_on_create_domain,  "domain", .fleet = true },
	{ "update_domain",   service_on_update_domain,  "domain", .fleet = true },
	{ "update_domains",  NULL,                      "domains",
	  service_on_update_domains, .fleet = true },
	{ "delete_domain",   service_on_delete_domain,  "domain", .fleet = true },
	{ "sync_domain",     service_on_sync_domain,    "domain", .fleet = true },
	{ "compare_domain",  service_on_compare_domain, "domain", .fleet = true },
	{ "update_status",   service_on_update_status,
	  "domain name_server status serial_number reason? silent? unasked? differs? "
	  "equal? refused? transfers?", .fleet = true },
	{ "update_statuses", NULL,                      "reports",
	  service_on_update_statuses, .fleet = true },
	{ "update_servers",  service_on_update_servers, "servers", .fleet = true },
	{ 0 }
};
