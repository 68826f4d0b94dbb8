#include "tell.h"

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
	TELLINGS_MAX = 10000,
	CALLS_MAX = 4,		/* out at a time: one that hangs holds up nobody */
	GATHER_MS = 20,		/* how long a report waits while another call is out */
	TOLD_SLOTS = 4096,
	BUSY_MS = 250,		/* central has done a part: why wait longer? */
};

/* What central is told of a domain, with memory of its own. */
struct words {
	enum report report;
	uint32_t serial;
	char reason[REASON_SIZE];
	char request_id[64];
};

/* A domain of which central is to be told something, or was and did not answer yet. */
struct telling {
	struct tell *tell;
	struct telling *next_ready;
	char domain_id[ID_LEN + 1];
	char *name, *pool, *tenant;
	struct state state;
	struct words now, next;
	bool out, has_next;	/* `next` only while a call is out */
	int attempts;
	struct loop_timer *retry;
	UT_hash_handle hh;
};

/* Those that one call is about. */
struct call {
	struct call *next;
	struct tell *tell;
	size_t count;
	struct telling *tellings[LIST_MAX];
};

/* What central took last of a domain; one that comes to its slot takes it over. */
struct told {
	char domain_id[ID_LEN + 1];
	uint32_t serial;
};

struct tell {
	struct poolmgr *poolmgr;
	struct telling *tellings;
	struct telling *ready, **ready_end;	/* to be told by the next call */
	struct call *calls;			/* out */
	int calls_out;
	bool looking;				/* look() is due at the end of the turn */
	struct loop_timer *gather;
	struct told told[TOLD_SLOTS];
};

static struct metric *casts, *verdicts[REPORT_COUNT], *retries;

static const struct backoff pace = { .first_ms = 500, .max_ms = 15 * 1000 };

static void gathered(void *self);

void tell_metrics(void)
{
	casts = metric_new(METRIC_COUNTER, "minidns_orders_total",
	                   "messages with orders to mini-DNS", NULL, NULL);
	retries = metric_new(METRIC_COUNTER, "central_retries_total",
	                     "verdicts on domains that had to be told to central again",
	                     NULL, NULL);
	for (enum report report = 0; report < REPORT_COUNT; report++)
		verdicts[report] = metric_new(METRIC_COUNTER, "consensus_told_total",
		                              "verdicts on domains that were told "
		                              "to central", "status",
		                              report_name(report));
}

struct tell *tell_new(struct poolmgr *poolmgr)
{
	struct tell *tell = xcalloc(1, sizeof(*tell));

	tell->poolmgr = poolmgr;
	tell->ready_end = &tell->ready;
	tell->gather = loop_timer_new(poolmgr->runtime.loop, gathered, tell);
	return tell;
}

static void telling_free(struct telling *telling)
{
	HASH_DEL(telling->tell->tellings, telling);
	loop_timer_free(&telling->retry);
	free(telling->name);
	free(telling->pool);
	free(telling->tenant);
	free(telling);
}

static void call_free(struct call *call)
{
	struct call **at = &call->tell->calls;

	while (*at != call)
		at = &(*at)->next;
	*at = call->next;
	call->tell->calls_out--;
	free(call);
}

void tell_free(struct tell **tell)
{
	struct tell *old = *tell;
	struct telling *telling, *next;

	if (!old)
		return;
	while (old->calls) {
		rpc_cancel(old->poolmgr->runtime.rpc, old->calls);
		call_free(old->calls);
	}
	HASH_ITER(hh, old->tellings, telling, next)
		telling_free(telling);
	loop_later_cancel(old->poolmgr->runtime.loop, old);
	loop_timer_free(&old->gather);
	free(old);
	*tell = NULL;
}

bool tell_idle(const struct tell *tell)
{
	return tell->tellings == NULL;
}

/* ---- minidns ---- */

static struct poll_order terms_of(const struct poolmgr *poolmgr)
{
	return (struct poll_order){
		.timeout_ms = poolmgr->config.poll_timeout_ms,
		.retry_interval_ms = poolmgr->config.poll_retry_interval_ms,
		.max_retries = poolmgr->config.poll_max_retries,
	};
}

/* Takes ARGS. */
static void cast(struct tell *tell, const char *method, const struct domain_ref *domain,
                 json_t *args, const struct cause *cause)
{
	const struct rpc_target minidns = {
		.topic = "minidns", .server = cause->recovery ? "recovery" : NULL,
	};
	json_t *context = context_encode(cause->request_id, true);
	struct why why;

	if (rpc_cast(tell->poolmgr->runtime.rpc, &minidns, method, args, context, &why))
		log_warn("order not sent: method=%s domain=%s why=\"%s\"", method,
		         domain->name, why.text);
	metric_add(casts, 1);
	json_decref(context);
	json_decref(args);
}

static void order(struct tell *tell, const char *method, const struct domain_ref *domain,
                  const struct destination *destination, const struct cause *cause)
{
	struct poll_order order = terms_of(tell->poolmgr);

	order.domain = *domain;
	order.destination = *destination;
	cast(tell, method, domain, poll_order_encode(&order), cause);
}

void tell_poll(struct tell *tell, const struct domain_ref *domain,
               const struct server *server, const struct cause *cause)
{
	if (!server_is_known(server))
		return;
	order(tell, "poll_for_serial_number", domain, &server->destination, cause);
}

/* A message lists no more than it may of either. */
static void propagate(struct tell *tell, const char *method,
                      struct propagation *propagation, const struct domain_refs *domains,
                      const struct cause *cause)
{
	for (size_t at = 0; at < domains->count; at += LIST_MAX) {
		size_t left = domains->count - at;

		propagation->domains.item = domains->item + at;
		propagation->domains.count = left < LIST_MAX ? left : LIST_MAX;
		cast(tell, method, &domains->item[at],
		     propagation_encode(propagation), cause);
	}
}

static void tell_each(struct tell *tell, const char *method,
                      const struct domain_refs *domains, const struct audience *audience,
                      bool tell_equal, const struct cause *cause)
{
	struct destination destinations[LIST_MAX];
	struct propagation propagation = {
		.destinations = destinations,
		.terms = terms_of(tell->poolmgr),
		.tell_equal = tell_equal,
	};
	size_t *n = &propagation.destination_count;

	for (size_t i = 0; i < audience->count; i++) {
		if (server_is_known(audience->servers[i]))
			destinations[(*n)++] = audience->servers[i]->destination;
		if (!*n || (*n < LIST_MAX && i + 1 < audience->count))
			continue;
		propagate(tell, method, &propagation, domains, cause);
		*n = 0;
	}
}

void tell_servers(struct tell *tell, const struct domain_refs *domains,
                  const struct audience *audience, const struct cause *cause)
{
	struct propagation nobody = { .terms = terms_of(tell->poolmgr) };

	if (audience->count)
		tell_each(tell, "propagate_zones", domains, audience, false, cause);
	else
		propagate(tell, "propagate_zones", &nobody, domains, cause);
}

void tell_compare(struct tell *tell, const struct domain_refs *domains,
                  const struct audience *audience, bool tell_equal,
                  const struct cause *cause)
{
	tell_each(tell, "compare_zones", domains, audience, tell_equal, cause);
}

void tell_look(struct tell *tell, const struct domain_refs *domains,
               const struct audience *audience, const struct cause *cause)
{
	tell_each(tell, "poll_zones", domains, audience, false, cause);
}

void tell_server(struct tell *tell, const struct domain_ref *domain,
                 const struct server *server, const struct cause *cause)
{
	struct domain_ref one = *domain;

	tell_servers(tell, &(struct domain_refs){ &one, 1 },
	             &(struct audience){ &server, 1 }, cause);
}

void tell_also(struct tell *tell, const struct domain_ref *domain,
               const struct cause *cause)
{
	const struct poolmgr *poolmgr = tell->poolmgr;

	for (size_t i = 0; i < poolmgr->config.also_notifies.count; i++) {
		const struct destination destination = {
			.id = poolmgr->config.also_notifies.item[i],
			.host = poolmgr->also[i].host,
			.port = poolmgr->also[i].port,
		};

		order(tell, "notify_zone_changed", domain, &destination, cause);
	}
}

/* ---- central ---- */

static void look(void *self);

static void look_later(struct tell *tell)
{
	if (!tell->looking)
		loop_later(tell->poolmgr->runtime.loop, look, tell);
	tell->looking = true;
}

static void make_ready(void *self)
{
	struct telling *telling = self;
	struct tell *tell = telling->tell;

	telling->next_ready = NULL;
	*tell->ready_end = telling;
	tell->ready_end = &telling->next_ready;
	look_later(tell);
}

static void retry_later(struct telling *telling, enum err err, const char *reason)
{
	int pause_ms = backoff_ms(&pace, telling->attempts++, random_u32());

	if (err == ERR_BUSY)
		pause_ms = BUSY_MS;
	(telling->attempts == 1 ? log_warn : log_debug)(
	    "central not told yet: domain=%s again_ms=%d why=\"%s\"", telling->name,
	    pause_ms, reason);
	metric_add(retries, 1);
	loop_timer_set(telling->retry, pause_ms);
}

static size_t told_slot(const char *domain_id)
{
	unsigned hash;

	HASH_VALUE(domain_id, strlen(domain_id), hash);
	return hash % TOLD_SLOTS;
}

bool tell_told(const struct tell *tell, const char *domain_id, uint32_t serial)
{
	const struct told *told = &tell->told[told_slot(domain_id)];

	return told->serial == serial && strcmp(told->domain_id, domain_id) == 0;
}

static void note_told(const struct telling *telling)
{
	struct told *told = &telling->tell->told[told_slot(telling->domain_id)];

	if (telling->now.report != REPORT_SUCCESS)
		return;
	memcpy(told->domain_id, telling->domain_id, sizeof(told->domain_id));
	told->serial = telling->now.serial;
}

static void next_or_done(struct telling *telling)
{
	if (!telling->has_next) {
		telling_free(telling);
		return;
	}
	telling->now = telling->next;
	telling->has_next = false;
	telling->attempts = 0;
	make_ready(telling);
}

static void settle(struct telling *telling, enum err err, const struct why *why)
{
	telling->out = false;
	if (err && err_retry(err) != RETRY_NEVER) {
		if (telling->has_next)
			next_or_done(telling);
		else
			retry_later(telling, err, why->text);
		return;
	}
	if (err)
		log_warn("central refused a report: domain=%s status=%s serial=%u "
		         "why=\"%s\"", telling->name, report_name(telling->now.report),
		         telling->now.serial, why->text);
	else
		note_told(telling);
	metric_add(verdicts[telling->now.report], 1);
	next_or_done(telling);
}

static void answered(void *self, const struct rpc_answer *answer)
{
	struct call *call = self;

	for (size_t i = 0; i < call->count; i++) {
		struct why why = answer->why;
		enum err err = answer->err ? answer->err
		                           : outcome_decode(answer->result, i, &why);

		settle(call->tellings[i], err, &why);
	}
	look_later(call->tell);
	call_free(call);
}

static struct pool_report report_of(const struct telling *telling)
{
	struct pool_report report = {
		.domain = {
			.name = telling->name,
			.pool = telling->pool,
			.tenant = telling->tenant,
			.state = telling->state,
		},
		.report = telling->now.report,
		.serial = telling->now.serial,
		.reason = telling->now.reason,
	};

	memcpy(report.domain.id, telling->domain_id, sizeof(report.domain.id));
	return report;
}

/* As many as are ready and fit. */
static struct call *call_new(struct tell *tell)
{
	struct call *call = xcalloc(1, sizeof(*call));

	call->tell = tell;
	call->next = tell->calls;
	tell->calls = call;
	tell->calls_out++;
	while (tell->ready && call->count < LIST_MAX) {
		tell->ready->out = true;
		call->tellings[call->count++] = tell->ready;
		tell->ready = tell->ready->next_ready;
	}
	if (!tell->ready)
		tell->ready_end = &tell->ready;
	return call;
}

static json_t *encode_call(const struct call *call)
{
	struct pool_report list[LIST_MAX];

	for (size_t i = 0; i < call->count; i++)
		list[i] = report_of(call->tellings[i]);
	return pool_reports_encode(&(struct pool_reports){ list, call->count });
}

static void make_call(struct tell *tell)
{
	static const struct rpc_target central = { .topic = "central" };
	struct call *call = call_new(tell);
	json_t *args = encode_call(call);
	json_t *context = context_encode(call->tellings[0]->now.request_id, true);
	struct rpc_answer none = { .class = "" };

	none.err = rpc_call(tell->poolmgr->runtime.rpc, &central, "update_statuses", args,
	                    context, CENTRAL_TIMEOUT_MS, answered, call, &none.why);
	json_decref(context);
	json_decref(args);
	if (none.err)
		answered(call, &none);
}

/* At once if no call is out: nothing would come of waiting. */
static void look(void *self)
{
	struct tell *tell = self;

	tell->looking = false;
	if (!tell->ready || tell->calls_out == CALLS_MAX)
		return;
	if (!tell->calls_out)
		make_call(tell);
	if (tell->ready && !loop_timer_armed(tell->gather))
		loop_timer_set(tell->gather, GATHER_MS);
}

static void gathered(void *self)
{
	struct tell *tell = self;

	if (tell->ready && tell->calls_out < CALLS_MAX)
		make_call(tell);
	look_later(tell);
}

size_t tell_room(const struct tell *tell)
{
	size_t count = HASH_COUNT(tell->tellings);

	return count < TELLINGS_MAX ? TELLINGS_MAX - count : 0;
}

static struct words words_of(const struct pool_report *report, const char *request_id)
{
	struct words words = { .report = report->report, .serial = report->serial };

	snprintf(words.reason, sizeof(words.reason), "%s", report->reason);
	snprintf(words.request_id, sizeof(words.request_id), "%s", request_id);
	return words;
}

static struct telling *telling_new(struct tell *tell, const struct domain_ref *domain)
{
	struct telling *telling = xcalloc(1, sizeof(*telling));

	telling->tell = tell;
	memcpy(telling->domain_id, domain->id, sizeof(telling->domain_id));
	telling->name = xstrdup(domain->name);
	telling->pool = xstrdup(domain->pool);
	telling->tenant = xstrdup(domain->tenant);
	telling->state = domain->state;
	telling->retry = loop_timer_new(tell->poolmgr->runtime.loop, make_ready, telling);
	HASH_ADD_STR(tell->tellings, domain_id, telling);
	return telling;
}

void tell_central(struct tell *tell, const struct pool_report *report,
                  const char *request_id)
{
	struct words words = words_of(report, request_id);
	struct telling *telling;

	HASH_FIND_STR(tell->tellings, report->domain.id, telling);
	if (!telling && !tell_room(tell))
		return;		/* the rows remember: the sync tells it again */
	if (!telling) {
		telling = telling_new(tell, &report->domain);
		telling->now = words;
		make_ready(telling);
		return;
	}
	telling->state = report->domain.state;
	if (!telling->out) {
		telling->now = words;
		return;
	}
	if (!telling->has_next && telling->now.report == words.report &&
	    telling->now.serial == words.serial)
		return;
	telling->next = words;
	telling->has_next = true;
}
