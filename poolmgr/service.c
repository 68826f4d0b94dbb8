#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "absences.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "content.h"
#include "follow_up.h"
#include "health.h"
#include "model/messages.h"
#include "model/serial.h"
#include "patrol.h"
#include "poolmgr.h"
#include "repair.h"
#include "runtime/tx.h"
#include "store.h"
#include "store_content.h"
#include "store_due.h"
#include "store_repair.h"
#include "tell.h"
#include "judge.h"
#include "operation.h"
#include "work.h"

enum { APART_MS = 2000 };

static struct cause cause_of(const struct request *req)
{
	return (struct cause){ .request_id = req->context.request_id };
}

static enum err check_pool(const struct poolmgr *poolmgr, const struct domain_ref *domain,
                           struct why *why)
{
	if (strcmp(domain->pool, poolmgr->config.pool_name) == 0)
		return OK;
	return fail(why, ERR_INVALID, "domain.pool: this is pool \"%s\", not \"%s\"",
	            poolmgr->config.pool_name, domain->pool);
}

static enum err decode_domain(const struct poolmgr *poolmgr, struct request *req,
                              struct domain_ref *domain)
{
	enum err err = domain_arg_decode(req->args, domain, &req->why);

	return err ? err : check_pool(poolmgr, domain, &req->why);
}

static enum err create_domain(void *self, struct request *req)
{
	struct poolmgr *poolmgr = self;
	struct cause cause = cause_of(req);
	struct domain_ref domain;
	enum err err = decode_domain(poolmgr, req, &domain);

	if (err)
		return err;
	return work_owed(poolmgr, domain.id, ACTION_CREATE, &cause, &req->why);
}

static enum err delete_domain(void *self, struct request *req)
{
	struct poolmgr *poolmgr = self;
	struct cause cause = cause_of(req);
	struct domain_ref domain;
	enum err err = decode_domain(poolmgr, req, &domain);

	if (err)
		return err;
	return work_owed(poolmgr, domain.id, ACTION_DELETE, &cause, &req->why);
}

/* ---- update_status: what minidns found out ---- */

/* The DNS side of a server's health. One that was not asked said nothing. */
static void note_health(struct poolmgr *poolmgr, const struct server_report *report)
{
	struct server *server = servers_find(poolmgr->servers, report->name_server);

	if (report->unasked)
		return;
	if (report->silent)
		health_failed(poolmgr->healths, server, CHANNEL_DNS, report->reason);
	else
		health_answered(poolmgr->healths, server, CHANNEL_DNS);
}

static bool about_delete(const struct server_report *report)
{
	return report->domain.state.task == TASK_DELETE;
}

static enum err record_serials(struct poolmgr *poolmgr,
                               const struct server_report *reports, size_t count,
                               struct why *why)
{
	struct tx tx = tx_autocommit(poolmgr->runtime.db, why);

	store_reports(&tx, reports, count);
	return tx_commit(&tx);
}

static enum action action_of(const struct server_report *report)
{
	return about_delete(report) ? ACTION_DELETE : ACTION_UPDATE;
}

static enum err judge(struct poolmgr *poolmgr, const struct server_report *reports,
                      const char *const *request_ids, size_t count, struct why *why)
{
	struct question questions[LIST_MAX];

	for (size_t i = 0; i < count; i++)
		questions[i] = (struct question){
			.domain_id = reports[i].domain.id,
			.action = action_of(&reports[i]),
			.request_id = request_ids[i],
			.report = &reports[i],
		};
	return judge_all(poolmgr, questions, count, why);
}

static void log_report(const struct server_report *report)
{
	log_debug("server reported: domain=%s server=%s status=%s serial=%u wanted=%u "
	          "why=\"%s\"", report->domain.name, report->name_server,
	          report_name(report->report), report->has_serial ? report->serial : 0,
	          report->domain.state.serial, report->reason);
}

/*
 * Write all, then judge: the rows are read after they were committed, so
 * that of two processes that record two servers at the same time the later
 * one sees both, and no consensus is missed.
 */
static enum err record_and_judge(struct poolmgr *poolmgr,
                                 const struct server_report *reports,
                                 const char *const *request_ids, size_t count,
                                 struct why *why)
{
	struct server_report absences[LIST_MAX], serials[LIST_MAX];
	size_t absence_count = 0, serial_count = 0;
	enum err err = OK;

	for (size_t i = 0; i < count; i++)
		if (about_delete(&reports[i]))
			absences[absence_count++] = reports[i];
		else if (!reports[i].refused)
			serials[serial_count++] = reports[i];
	if (absence_count > 0)
		err = absences_record(poolmgr, absences, absence_count, why);
	if (!err && serial_count > 0)
		err = record_serials(poolmgr, serials, serial_count, why);
	for (size_t i = 0; i < count && !err; i++)
		err = contents_record(poolmgr, &reports[i], why);
	return err ? err : judge(poolmgr, reports, request_ids, count, why);
}

/* What was reported, and by which requests. */
struct pile {
	struct server_report reports[LIST_MAX];
	const char *request_ids[LIST_MAX];
	size_t count;
};

/* Reports of servers that were removed from the configuration mean nothing. */
static void pile_add(struct pile *pile, struct poolmgr *poolmgr,
                     const struct server_reports *list, const struct request *req)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!servers_find(poolmgr->servers, list->item[i].name_server))
			continue;
		pile->reports[pile->count] = list->item[i];
		pile->request_ids[pile->count++] = req->context.request_id;
	}
}

static enum err pile_settle(const struct pile *pile, struct poolmgr *poolmgr,
                            struct why *why)
{
	if (pile->count == 0)
		return OK;
	return record_and_judge(poolmgr, pile->reports, pile->request_ids, pile->count,
	                        why);
}

/*
 * One by one, so that a row that cannot be written holds up no other. The first reason is
 * told: the message comes again.
 */
static enum err pile_settle_apart(const struct pile *pile, struct poolmgr *poolmgr,
                                  struct why *why)
{
	int64_t until_ms = clock_ms() + APART_MS;
	const char *stuck = "";
	enum err first = OK;

	for (size_t i = 0; i < pile->count; i++) {
		const char *id = pile->reports[i].domain.id;
		struct why own;
		enum err err;

		if (strcmp(id, stuck) == 0 || (first && clock_ms() > until_ms))
			continue;
		err = record_and_judge(poolmgr, &pile->reports[i], &pile->request_ids[i],
		                       1, &own);
		if (!err)
			continue;
		stuck = id;
		if (!first)
			*why = own;
		first = first ? first : err;
	}
	return first;
}

static enum err settle_message(struct poolmgr *poolmgr, const struct server_reports *list,
                               struct request *req)
{
	struct pile pile = { .count = 0 };
	enum err err;

	pile_add(&pile, poolmgr, list, req);
	err = pile_settle(&pile, poolmgr, &req->why);
	return err && pile.count > 1 ? pile_settle_apart(&pile, poolmgr, &req->why) : err;
}

/* Together, or, should that fail, each by itself. */
static void settle_messages(struct poolmgr *poolmgr, const struct server_reports *lists,
                            struct request *const *reqs, size_t count, enum err *errs)
{
	struct pile pile = { .count = 0 };
	struct why why;

	for (size_t i = 0; i < count; i++)
		if (!errs[i])
			pile_add(&pile, poolmgr, &lists[i], reqs[i]);
	if (!pile_settle(&pile, poolmgr, &why))
		return;
	for (size_t i = 0; i < count; i++)
		if (!errs[i])
			errs[i] = settle_message(poolmgr, &lists[i], reqs[i]);
}

/* Its serial is right, and its records are not. */
static void note_difference(struct poolmgr *poolmgr, const struct server_report *report)
{
	const struct fault fault = {
		.kind = REPAIR_CONTENT,
		.object = report->domain.id,
		.server_id = report->name_server,
		.pool = poolmgr->config.pool_name,
		.name = report->domain.name,
		.serial = report->has_serial ? report->serial
		                             : report->domain.state.serial,
		.detail = report->refused ? "" : report->reason,
		.is_hidden = report->refused,
	};

	if (report->differs || report->refused)
		repair_saw(poolmgr, servers_find(poolmgr->servers, report->name_server),
		           &fault);
}

/* It answers, and does not follow; one that is ahead is found where it is judged. */
static void note_behind(struct poolmgr *poolmgr, const struct server_report *report,
                        const struct cause *cause)
{
	const struct server *server = servers_find(poolmgr->servers, report->name_server);

	if (report->report == REPORT_ERROR && !report->silent && !report->unasked &&
	    !about_delete(report))
		follow_up_saw(poolmgr->follow_up, server, &report->domain,
		              report->has_serial ? &report->serial : NULL, cause);
}

static void note_reports(struct poolmgr *poolmgr, const struct server_reports *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (servers_find(poolmgr->servers, list->item[i].name_server)) {
			log_report(&list->item[i]);
			note_health(poolmgr, &list->item[i]);
		}
}

/* Of a message that is settled: one that comes again must not confirm what it said. */
static void note_faults(struct poolmgr *poolmgr, const struct server_reports *list,
                        const struct request *req)
{
	const struct cause cause = { .request_id = req->context.request_id,
	                             .recovery = true };

	for (size_t i = 0; i < list->count; i++)
		if (servers_find(poolmgr->servers, list->item[i].name_server)) {
			note_difference(poolmgr, &list->item[i]);
			note_behind(poolmgr, &list->item[i], &cause);
		}
}

static void update_statuses(void *self, struct request *const *reqs, size_t count,
                            enum err *errs)
{
	struct server_reports *lists =
		arena_alloc(reqs[0]->arena, count * sizeof(*lists));
	size_t from = 0, reports = 0;

	for (size_t i = 0; i < count; i++) {
		lists[i].count = 0;
		errs[i] = server_reports_decode(reqs[i]->args, reqs[i]->arena, &lists[i],
		                                &reqs[i]->why);
		if (errs[i])
			lists[i].count = 0;
		note_reports(self, &lists[i]);
		if (reports + lists[i].count > LIST_MAX) {
			settle_messages(self, lists + from, reqs + from, i - from,
			                errs + from);
			from = i;
			reports = 0;
		}
		reports += lists[i].count;
	}
	settle_messages(self, lists + from, reqs + from, count - from, errs + from);
	for (size_t i = 0; i < count; i++)
		if (!errs[i])
			note_faults(self, &lists[i], reqs[i]);
}

static enum err update_status(void *self, struct request *req)
{
	struct server_report report;
	struct server_reports one = { &report, 1 };
	enum err err = server_report_decode(req->args, &report, &req->why);

	if (err)
		return err;
	note_reports(self, &one);
	err = settle_message(self, &one, req);
	if (!err)
		note_faults(self, &one, req);
	return err;
}

/* ---- update_domains ---- */

/* Why it is not even asked; NULL: it is. */
static const char *trouble_of(const struct server *server, struct why *words)
{
	if (server_lacks_address(server, words))
		return words->text;
	return server_fails(server, CHANNEL_DNS)
	           ? "gives no answer; pool managers only probe it until it answers"
	           : NULL;
}

/* A server that cannot be asked, or is known to be silent: reports of our own say so. */
static void blame(struct poolmgr *poolmgr, const struct domain_refs *domains,
                  const struct server *server, const char *trouble,
                  const struct cause *cause)
{
	struct server_report reports[LIST_MAX];
	const char *request_ids[LIST_MAX];
	struct why why;

	for (size_t i = 0; i < domains->count; i++) {
		reports[i] = (struct server_report){
			.domain = domains->item[i],
			.name_server = server->settings->id,
			.report = REPORT_ERROR,
			.reason = trouble,
		};
		request_ids[i] = cause->request_id;
	}
	enum err err = record_and_judge(poolmgr, reports, request_ids, domains->count,
	                                &why);

	if (err)	/* the sync finds the server behind */
		log_warn("server's trouble not recorded: server=%s err=%s why=\"%s\"",
		         server->settings->id, err_name(err), why.text);
}

/*
 * A server that is known to be silent is not asked about each change: its
 * row is in error at once, and it is brought up to date when it is back.
 * No row is written for a server that is asked: one whose serial is behind
 * the domain's is the debt. The domains are for the same servers.
 */
static void tell_alike(struct poolmgr *poolmgr, const struct domain_refs *domains,
                       const struct cause *cause)
{
	struct audience audience = { .count = 0 };
	const struct server **asked;
	const char *trouble;
	struct why words;

	if (!domains->count)
		return;
	audience.servers = asked = xcalloc(poolmgr->servers->count, sizeof(*asked));
	for (size_t i = 0; i < poolmgr->servers->count; i++) {
		const struct server *server = &poolmgr->servers->item[i];

		if (!server_has(server, domains->item))
			continue;
		trouble = trouble_of(server, &words);
		if (trouble)
			blame(poolmgr, domains, server, trouble, cause);
		else
			asked[audience.count++] = server;
	}
	tell_servers(poolmgr->tell, domains, &audience, cause);
	for (size_t i = 0; i < domains->count; i++)
		tell_also(poolmgr->tell, &domains->item[i], cause);
	free(asked);
}

static void tell_pool(struct poolmgr *poolmgr, const struct domain_refs *domains,
                      const struct cause *cause)
{
	struct domain_ref list[LIST_MAX];
	struct domain_refs alike = { list, 0 };

	for (int of_catalogs = 0; of_catalogs <= 1; of_catalogs++) {
		alike.count = 0;
		for (size_t i = 0; i < domains->count; i++)
			if (domains->item[i].is_catalog == of_catalogs)
				list[alike.count++] = domains->item[i];
		tell_alike(poolmgr, &alike, cause);
	}
}

static enum err update_domain(void *self, struct request *req)
{
	struct poolmgr *poolmgr = self;
	struct cause cause = cause_of(req);
	struct domain_ref domain;
	enum err err = decode_domain(poolmgr, req, &domain);

	if (!err)
		tell_pool(poolmgr, &(struct domain_refs){ &domain, 1 }, &cause);
	return err;
}

/*
 * An operator wants it now: what is owed, and else a look at all servers. DEEP: also at
 * the records, and what was parked for him is repaired again.
 */
static enum err sync_now(struct poolmgr *poolmgr, struct request *req, bool deep)
{
	struct cause cause = cause_of(req);
	struct domain_ref domain;
	enum err err = decode_domain(poolmgr, req, &domain);

	if (err)
		return err;
	struct tx tx = tx_autocommit(poolmgr->runtime.db, &req->why);
	store_hurry(&tx, domain.id);
	if (deep) {
		store_unpark(&tx, domain.id);
		store_ask(&tx, domain.id);
	}
	err = tx_commit(&tx);
	if (err || domain.state.task == TASK_DELETE ||
	    domain.state.status == STATUS_DELETED)
		return err;
	tell_pool(poolmgr, &(struct domain_refs){ &domain, 1 }, &cause);
	if (deep)
		patrol_compare(poolmgr, &domain, &cause);
	return OK;
}

static enum err sync_domain(void *self, struct request *req)
{
	return sync_now(self, req, false);
}

static enum err compare_domain(void *self, struct request *req)
{
	return sync_now(self, req, true);
}

static enum err decode_domains(const struct poolmgr *poolmgr, struct request *req,
                               struct domain_refs *domains)
{
	enum err err = domain_refs_decode(req->args, req->arena, domains, &req->why);

	for (size_t i = 0; !err && i < domains->count; i++)
		err = check_pool(poolmgr, &domains->item[i], &req->why);
	return err;
}

/* A newer order in the batch does for the older. */
static void add_newest(struct domain_refs *all, const struct domain_ref *domain)
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

static void update_domains(void *self, struct request *const *reqs, size_t count,
                           enum err *errs)
{
	struct poolmgr *poolmgr = self;
	struct domain_ref list[LIST_MAX];
	struct domain_refs all = { list, 0 };
	struct cause cause = cause_of(reqs[0]);

	for (size_t i = 0; i < count; i++) {
		struct domain_refs got;

		errs[i] = decode_domains(poolmgr, reqs[i], &got);
		if (errs[i])
			continue;
		if (all.count + got.count > LIST_MAX) {
			tell_pool(poolmgr, &all, &cause);
			all.count = 0;
		}
		for (size_t at = 0; at < got.count; at++)
			add_newest(&all, &got.item[at]);
	}
	tell_pool(poolmgr, &all, &cause);
}

const struct rpc_method poolmgr_methods[] = {
	{ "create_domain",   create_domain, "domain", .fleet = true },
	{ "update_domain",   update_domain, "domain", .fleet = true },
	{ "update_domains",  NULL,          "domains", update_domains, .fleet = true },
	{ "delete_domain",   delete_domain, "domain", .fleet = true },
	{ "sync_domain",     sync_domain,   "domain", .fleet = true },
	{ "compare_domain",  compare_domain, "domain", .fleet = true },
	{ "update_status",   update_status,
	  "domain name_server status serial_number reason? silent? unasked? differs? "
	  "equal? refused?", .fleet = true },
	{ "update_statuses", NULL,          "reports", update_statuses, .fleet = true },
	{ 0 }
};
