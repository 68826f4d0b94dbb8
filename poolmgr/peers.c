#include "peers.h"

#include <stdio.h>
#include <string.h>

#include <uthash.h>

#include "base/backoff.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"

enum {
	CENTRAL_TIMEOUT_MS = 10 * 1000,
	REASON_SIZE = 512,
	PENDING_MAX = 10000,
	/* open calls; so a call that hangs does not delay the others */
	CALLS_MAX = 4,
	GATHER_MS = 20,		/* wait of a report while another call is out */
	REPORTED_SLOTS = 4096,
	BUSY_MS = 250,		/* pause after central has done a part of the call */
	/* from this attempt on, a locked domain is worth a warning */
	BUSY_ATTEMPTS = 8,
};

/* A report that owns its texts. */
struct report_copy {
	enum report report;
	uint32_t serial;
	char reason[REASON_SIZE];
	char request_id[64];
};

/* A domain whose report waits for a call or for an answer of central. */
struct pending_report {
	struct peers *peers;
	struct pending_report *next_ready;
	char domain_id[ID_LEN + 1];
	char *name, *pool, *tenant;
	struct state state;
	struct report_copy now, next;
	bool out, has_next;	/* `next` is used only while a call is out */
	int attempts;
	bool is_failure_logged;
	struct loop_timer *retry;
	UT_hash_handle hh;
};

/* A call to central, and its domains. */
struct central_call {
	struct central_call *next;
	struct peers *peers;
	size_t count;
	struct pending_report *pending[LIST_MAX];
};

/* The last SUCCESS of a domain that central has accepted. Domains share the slots. */
struct reported {
	char domain_id[ID_LEN + 1];
	uint32_t serial;
};

struct peers {
	struct poolmgr *poolmgr;
	struct pending_report *pending;
	struct pending_report *ready, **ready_end;	/* reports for the next call */
	struct central_call *calls;			/* open calls */
	int calls_out;
	/* scheduled for the end of the turn of the loop */
	bool is_send_due;
	struct loop_timer *gather;
	struct reported reported[REPORTED_SLOTS];
};

static struct metric *casts, *reports[REPORT_COUNT], *retries;

static const struct backoff pace = { .first_ms = 500, .max_ms = 15 * 1000 };

static void peers_gathered(void *self);

void peers_metrics(void)
{
	casts = metric_new(METRIC_COUNTER, "minidns_orders_total",
	                   "messages with orders that the pool manager sent to mini-DNS",
	                   NULL, NULL);
	retries = metric_new(METRIC_COUNTER, "central_retries_total",
	                     "repeated reports about domains. The pool manager repeats "
	                     "a report if the call to central fails",
	                     NULL, NULL);
	for (enum report report = 0; report < REPORT_COUNT; report++)
		reports[report] = metric_new(METRIC_COUNTER, "consensus_told_total",
		                             "reports about domains that central has "
		                             "answered, by status. The pool manager "
		                             "sends these reports to central", "status",
		                             report_name(report));
}

struct peers *peers_new(struct poolmgr *poolmgr)
{
	struct peers *peers = xcalloc(1, sizeof(*peers));

	peers->poolmgr = poolmgr;
	peers->ready_end = &peers->ready;
	peers->gather = loop_timer_new(poolmgr->runtime.loop, peers_gathered, peers);
	return peers;
}

static void pending_report_free(struct pending_report *pending)
{
	HASH_DEL(pending->peers->pending, pending);
	loop_timer_free(&pending->retry);
	free(pending->name);
	free(pending->pool);
	free(pending->tenant);
	free(pending);
}

static void central_call_free(struct central_call *call)
{
	struct central_call **at = &call->peers->calls;

	while (*at != call)
		at = &(*at)->next;
	*at = call->next;
	call->peers->calls_out--;
	free(call);
}

void peers_free(struct peers **peers)
{
	struct peers *old = *peers;
	struct pending_report *pending, *next;

	if (!old)
		return;
	while (old->calls) {
		rpc_cancel(old->poolmgr->runtime.rpc, old->calls);
		central_call_free(old->calls);
	}
	HASH_ITER(hh, old->pending, pending, next)
		pending_report_free(pending);
	loop_later_cancel(old->poolmgr->runtime.loop, old);
	loop_timer_free(&old->gather);
	free(old);
	*peers = NULL;
}

bool peers_idle(const struct peers *peers)
{
	return peers->pending == NULL;
}

/* ---- minidns ---- */

/* A probe ends with the first try: any answer shows that the server is back. */
static struct poll_order peers_terms(const struct poolmgr *poolmgr,
                                     const struct cause *cause)
{
	return (struct poll_order){
		.timeout_ms = poolmgr->config.poll_timeout_ms,
		.retry_interval_ms = poolmgr->config.poll_retry_interval_ms,
		.max_retries = cause->probe ? 0 : poolmgr->config.poll_max_retries,
	};
}

/* Takes over ARGS. */
static void peers_cast(struct peers *peers, const char *method,
                       const struct domain_ref *domain, json_t *args,
                       const struct cause *cause)
{
	const struct rpc_target minidns = {
		.topic = "minidns", .server = cause->recovery ? "recovery" : NULL,
	};
	json_t *context = context_encode(cause->request_id, true);
	struct why why;

	if (rpc_cast(peers->poolmgr->runtime.rpc, &minidns, method, args, context, &why))
		log_warn("order not sent: method=%s domain=%s reason=\"%s\"", method,
		         domain->name, why.text);
	metric_add(casts, 1);
	json_decref(context);
	json_decref(args);
}

static void peers_order(struct peers *peers, const char *method,
                        const struct domain_ref *domain,
                        const struct destination *destination, const struct cause *cause)
{
	struct poll_order order = peers_terms(peers->poolmgr, cause);

	order.domain = *domain;
	order.destination = *destination;
	peers_cast(peers, method, domain, poll_order_encode(&order), cause);
}

void peers_poll(struct peers *peers, const struct domain_ref *domain,
                const struct server *server, const struct cause *cause)
{
	if (!server_is_known(server))
		return;
	peers_order(peers, "poll_for_serial_number", domain, &server->destination, cause);
}

/* A message lists at most LIST_MAX domains. */
static void peers_cast_domains(struct peers *peers, const char *method,
                               struct propagation *propagation,
                               const struct domain_refs *domains,
                               const struct cause *cause)
{
	for (size_t at = 0; at < domains->count; at += LIST_MAX) {
		size_t left = domains->count - at;

		propagation->domains.item = domains->item + at;
		propagation->domains.count = left < LIST_MAX ? left : LIST_MAX;
		peers_cast(peers, method, &domains->item[at],
		           propagation_encode(propagation), cause);
	}
}

static struct destination peers_destination(const struct server *server,
                                            const struct cause *cause)
{
	struct destination destination = server->destination;

	if (cause->probe)
		destination.patience_s = 0;
	return destination;
}

static void peers_cast_servers(struct peers *peers, const char *method,
                               const struct domain_refs *domains,
                               const struct server_list *list, bool tell_equal,
                               const struct cause *cause)
{
	struct destination destinations[LIST_MAX];
	struct propagation propagation = {
		.destinations = destinations,
		.terms = peers_terms(peers->poolmgr, cause),
		.tell_equal = tell_equal,
	};
	size_t *n = &propagation.destination_count;

	for (size_t i = 0; i < list->count; i++) {
		if (server_is_known(list->servers[i]))
			destinations[(*n)++] = peers_destination(list->servers[i], cause);
		if (!*n || (*n < LIST_MAX && i + 1 < list->count))
			continue;
		peers_cast_domains(peers, method, &propagation, domains, cause);
		*n = 0;
	}
}

void peers_notify_all(struct peers *peers, const struct domain_refs *domains,
                      const struct server_list *list, const struct cause *cause)
{
	struct propagation no_servers = { .terms = peers_terms(peers->poolmgr, cause) };

	if (list->count)
		peers_cast_servers(peers, "propagate_zones", domains, list, false,
		                   cause);
	else
		peers_cast_domains(peers, "propagate_zones", &no_servers, domains, cause);
}

void peers_compare(struct peers *peers, const struct domain_refs *domains,
                   const struct server_list *list, bool tell_equal,
                   const struct cause *cause)
{
	peers_cast_servers(peers, "compare_zones", domains, list, tell_equal, cause);
}

void peers_poll_all(struct peers *peers, const struct domain_refs *domains,
                    const struct server_list *list, const struct cause *cause)
{
	peers_cast_servers(peers, "poll_zones", domains, list, false, cause);
}

void peers_notify(struct peers *peers, const struct domain_ref *domain,
                  const struct server *server, const struct cause *cause)
{
	struct domain_ref one = *domain;

	peers_notify_all(peers, &(struct domain_refs){ &one, 1 },
	                 &(struct server_list){ &server, 1 }, cause);
}

void peers_notify_also(struct peers *peers, const struct domain_ref *domain,
                       const struct cause *cause)
{
	const struct poolmgr *poolmgr = peers->poolmgr;

	for (size_t i = 0; i < poolmgr->config.also_notifies.count; i++) {
		const struct destination destination = {
			.id = poolmgr->config.also_notifies.item[i],
			.host = poolmgr->also[i].host,
			.port = poolmgr->also[i].port,
		};

		peers_order(peers, "notify_zone_changed", domain, &destination, cause);
	}
}

/* ---- central ---- */

static void peers_send_ready(void *self);

static void peers_send_later(struct peers *peers)
{
	if (!peers->is_send_due)
		loop_later(peers->poolmgr->runtime.loop, peers_send_ready, peers);
	peers->is_send_due = true;
}

static void pending_report_make_ready(void *self)
{
	struct pending_report *pending = self;
	struct peers *peers = pending->peers;

	pending->next_ready = NULL;
	*peers->ready_end = pending;
	peers->ready_end = &pending->next_ready;
	peers_send_later(peers);
}

static void pending_report_retry_later(struct pending_report *pending, enum err err,
                                       const char *reason)
{
	int pause_ms = backoff_ms(&pace, pending->attempts++, random_u32());
	bool is_warning;

	if (err == ERR_BUSY)
		pause_ms = BUSY_MS;
	is_warning = !pending->is_failure_logged &&
	             (err != ERR_BUSY || pending->attempts >= BUSY_ATTEMPTS);
	pending->is_failure_logged |= is_warning;
	(is_warning ? log_warn : log_debug)(
	    "report to central failed: domain=%s again_ms=%d reason=\"%s\"",
	    pending->name, pause_ms, reason);
	metric_add(retries, 1);
	loop_timer_set(pending->retry, pause_ms);
}

static size_t peers_reported_slot(const char *domain_id)
{
	unsigned hash;

	HASH_VALUE(domain_id, strlen(domain_id), hash);
	return hash % REPORTED_SLOTS;
}

bool peers_has_reported(const struct peers *peers, const char *domain_id, uint32_t serial)
{
	const struct reported *reported =
		&peers->reported[peers_reported_slot(domain_id)];

	return reported->serial == serial && strcmp(reported->domain_id, domain_id) == 0;
}

static void pending_report_note_reported(const struct pending_report *pending)
{
	struct reported *reported =
		&pending->peers->reported[peers_reported_slot(pending->domain_id)];

	if (pending->now.report != REPORT_SUCCESS)
		return;
	memcpy(reported->domain_id, pending->domain_id, sizeof(reported->domain_id));
	reported->serial = pending->now.serial;
}

static void pending_report_next(struct pending_report *pending)
{
	if (!pending->has_next) {
		pending_report_free(pending);
		return;
	}
	pending->now = pending->next;
	pending->has_next = false;
	pending->attempts = 0;
	pending->is_failure_logged = false;
	pending_report_make_ready(pending);
}

static void pending_report_settle(struct pending_report *pending, enum err err,
                                  const struct why *why)
{
	pending->out = false;
	if (err && err_retry(err) != RETRY_NEVER) {
		if (pending->has_next)
			pending_report_next(pending);
		else
			pending_report_retry_later(pending, err, why->text);
		return;
	}
	if (err)
		log_warn("central refused a report: domain=%s status=%s serial=%u "
		         "reason=\"%s\"", pending->name, report_name(pending->now.report),
		         pending->now.serial, why->text);
	else
		pending_report_note_reported(pending);
	metric_add(reports[pending->now.report], 1);
	pending_report_next(pending);
}

static void peers_answered(void *self, const struct rpc_answer *answer)
{
	struct central_call *call = self;

	for (size_t i = 0; i < call->count; i++) {
		struct why why = answer->why;
		enum err err = answer->err ? answer->err
		                           : outcome_decode(answer->result, i, &why);

		pending_report_settle(call->pending[i], err, &why);
	}
	peers_send_later(call->peers);
	central_call_free(call);
}

static struct pool_report pending_report_encode(const struct pending_report *pending)
{
	struct pool_report report = {
		.domain = {
			.name = pending->name,
			.pool = pending->pool,
			.tenant = pending->tenant,
			.state = pending->state,
		},
		.report = pending->now.report,
		.serial = pending->now.serial,
		.reason = pending->now.reason,
	};

	memcpy(report.domain.id, pending->domain_id, sizeof(report.domain.id));
	return report;
}

/* Takes over as many ready reports as fit. */
static struct central_call *central_call_new(struct peers *peers)
{
	struct central_call *call = xcalloc(1, sizeof(*call));

	call->peers = peers;
	call->next = peers->calls;
	peers->calls = call;
	peers->calls_out++;
	while (peers->ready && call->count < LIST_MAX) {
		peers->ready->out = true;
		call->pending[call->count++] = peers->ready;
		peers->ready = peers->ready->next_ready;
	}
	if (!peers->ready)
		peers->ready_end = &peers->ready;
	return call;
}

static json_t *central_call_encode(const struct central_call *call)
{
	struct pool_report list[LIST_MAX];

	for (size_t i = 0; i < call->count; i++)
		list[i] = pending_report_encode(call->pending[i]);
	return pool_reports_encode(&(struct pool_reports){ list, call->count });
}

static void peers_call_central(struct peers *peers)
{
	static const struct rpc_target central = { .topic = "central" };
	struct central_call *call = central_call_new(peers);
	json_t *args = central_call_encode(call);
	json_t *context = context_encode(call->pending[0]->now.request_id, true);
	struct rpc_answer none = { .class = "" };

	none.err = rpc_call(peers->poolmgr->runtime.rpc, &central, "update_statuses",
	                    args, context, CENTRAL_TIMEOUT_MS, peers_answered, call,
	                    &none.why);
	json_decref(context);
	json_decref(args);
	if (none.err)
		peers_answered(call, &none);
}

/* Sends immediately if no call is out; otherwise reports are collected for GATHER_MS. */
static void peers_send_ready(void *self)
{
	struct peers *peers = self;

	peers->is_send_due = false;
	if (!peers->ready || peers->calls_out == CALLS_MAX)
		return;
	if (!peers->calls_out)
		peers_call_central(peers);
	if (peers->ready && !loop_timer_armed(peers->gather))
		loop_timer_set(peers->gather, GATHER_MS);
}

static void peers_gathered(void *self)
{
	struct peers *peers = self;

	if (peers->ready && peers->calls_out < CALLS_MAX)
		peers_call_central(peers);
	peers_send_later(peers);
}

size_t peers_report_room(const struct peers *peers)
{
	size_t count = HASH_COUNT(peers->pending);

	return count < PENDING_MAX ? PENDING_MAX - count : 0;
}

static struct report_copy report_copy(const struct pool_report *report,
                                      const char *request_id)
{
	struct report_copy copy = { .report = report->report, .serial = report->serial };

	snprintf(copy.reason, sizeof(copy.reason), "%s", report->reason);
	snprintf(copy.request_id, sizeof(copy.request_id), "%s", request_id);
	return copy;
}

static struct pending_report *pending_report_new(struct peers *peers,
                                                 const struct domain_ref *domain)
{
	struct pending_report *pending = xcalloc(1, sizeof(*pending));

	pending->peers = peers;
	memcpy(pending->domain_id, domain->id, sizeof(pending->domain_id));
	pending->name = xstrdup(domain->name);
	pending->pool = xstrdup(domain->pool);
	pending->tenant = xstrdup(domain->tenant);
	pending->state = domain->state;
	pending->retry = loop_timer_new(peers->poolmgr->runtime.loop,
	                                pending_report_make_ready, pending);
	HASH_ADD_STR(peers->pending, domain_id, pending);
	return pending;
}

void peers_report(struct peers *peers, const struct pool_report *report,
                  const char *request_id)
{
	struct report_copy copy = report_copy(report, request_id);
	struct pending_report *pending;

	HASH_FIND_STR(peers->pending, report->domain.id, pending);
	if (!pending && !peers_report_room(peers))
		return;		/* the sync finds the domain by its rows */
	if (!pending) {
		pending = pending_report_new(peers, &report->domain);
		pending->now = copy;
		pending_report_make_ready(pending);
		return;
	}
	pending->state = report->domain.state;
	if (!pending->out) {
		pending->now = copy;
		return;
	}
	if (!pending->has_next && pending->now.report == copy.report &&
	    pending->now.serial == copy.serial)
		return;
	pending->next = copy;
	pending->has_next = true;
}
