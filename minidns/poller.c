#include "poller.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "core/pace.h"
#include "core/poll.h"
#include "dns_request.h"
#include "minidns.h"
#include "model/serial.h"
#include "notifier.h"
#include "route.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "transfers.h"

enum { MAX_ORDERS = 200000, MAX_PACES = 10000 };

/* The parts of an order that its report repeats. */
struct subject {
	char id[ID_LEN + 1];
	char *name, *pool, *tenant, *name_server;
	struct state state;
	uint64_t version;
	bool is_catalog;
};

struct watch {
	struct poller *poller;
	/* the next one for this zone and host, with another port */
	struct watch *next;
	struct name zone;
	struct address server;
	struct name tsig_key;
	struct subject subject;
	struct poll poll;
	struct dns_request *request;
	struct loop_timer *timer;
	int64_t ordered_us;
	bool quiet;			/* report only unexpected results */
};

struct poller {
	struct loop *loop;
	struct poller_config config;
	struct map *by_host;		/* first watch of a zone and host */
	size_t count;
	bool handed_over;		/* it takes no order any more */
	struct map *paces;		/* by server; entries are never removed */
	struct pace other;		/* shared by servers beyond MAX_PACES */
};

struct poller *poller_new(struct loop *loop, const struct poller_config *config)
{
	struct poller *poller = xcalloc(1, sizeof(*poller));

	poller->loop = loop;
	poller->config = *config;
	poller->by_host = map_new(random_u32());
	poller->paces = map_new(random_u32());
	pace_init(&poller->other);
	return poller;
}

size_t poller_count(const struct poller *poller)
{
	return poller->count;
}

bool poller_has_room(const struct poller *poller, size_t orders)
{
	return !poller->handed_over && poller->count + orders <= MAX_ORDERS;
}

/* ---- the subject ---- */

static void subject_clear(struct subject *subject)
{
	free(subject->name);
	free(subject->pool);
	free(subject->tenant);
	free(subject->name_server);
}

static void subject_set(struct subject *subject, const struct poll_order *order)
{
	const struct domain_ref *domain = &order->domain;

	subject_clear(subject);
	*subject = (struct subject){
		.name = xstrdup(domain->name),
		.pool = xstrdup(domain->pool),
		.tenant = xstrdup(domain->tenant),
		.name_server = xstrdup(order->destination.id),
		.state = domain->state,
		.version = domain->version,
		.is_catalog = domain->is_catalog,
	};
	memcpy(subject->id, domain->id, sizeof(subject->id));
}

static struct server_report subject_report(const struct subject *subject)
{
	struct server_report report = {
		.domain = {
			.name = subject->name,
			.pool = subject->pool,
			.tenant = subject->tenant,
			.state = subject->state,
			.version = subject->version,
			.is_catalog = subject->is_catalog,
		},
		.name_server = subject->name_server,
		.reason = "",
	};

	memcpy(report.domain.id, subject->id, sizeof(subject->id));
	return report;
}

/* ---- the servers' paces ---- */

struct paced {
	struct pace pace;
	struct route_key key;
};

static struct pace *poller_pace(struct poller *poller, const struct address *server)
{
	static const struct name no_zone = { .len = 0 };
	struct route_key key;
	struct paced *paced;

	route_key(&no_zone, server, &key);
	paced = map_get(poller->paces, key.octets, key.len);
	if (paced)
		return &paced->pace;
	if (map_count(poller->paces) >= MAX_PACES)
		return &poller->other;
	paced = xcalloc(1, sizeof(*paced));
	paced->key = key;
	pace_init(&paced->pace);
	map_put(poller->paces, key.octets, key.len, paced);
	return &paced->pace;
}

static void paces_free(struct poller *poller)
{
	struct paced *paced;

	while ((paced = map_any(poller->paces))) {
		map_remove(poller->paces, paced->key.octets, paced->key.len);
		free(paced);
	}
	map_free(&poller->paces);
}

/* ---- watches by zone and host ---- */

static struct watch *poller_first_watch(const struct poller *poller,
                                        const struct name *zone,
                                        const struct address *host)
{
	struct route_key key;

	route_host_key(zone, host, &key);
	return map_get(poller->by_host, key.octets, key.len);
}

static void poller_set_first(struct poller *poller, const struct watch *of,
                             struct watch *first)
{
	struct route_key key;

	route_host_key(&of->zone, &of->server, &key);
	if (first)
		map_put(poller->by_host, key.octets, key.len, first);
	else
		map_remove(poller->by_host, key.octets, key.len);
}

static struct watch *poller_find_watch(const struct poller *poller,
                                       const struct name *zone,
                                       const struct address *server)
{
	struct watch *at = poller_first_watch(poller, zone, server);

	while (at && at->server.port != server->port)
		at = at->next;
	return at;
}

static void poller_count_orders(struct poller *poller, int by)
{
	poller->count += by;
	metric_add(poller->config.figures->orders, by);
}

static void watch_free(struct watch *watch)
{
	struct poller *poller = watch->poller;
	struct watch *first = poller_first_watch(poller, &watch->zone, &watch->server);
	struct watch **at = &first;

	while (*at != watch)
		at = &(*at)->next;
	*at = watch->next;
	poller_set_first(poller, watch, first);
	dns_request_cancel(&watch->request);
	loop_timer_free(&watch->timer);
	subject_clear(&watch->subject);
	free(watch);
	poller_count_orders(poller, -1);
}

void poller_free(struct poller **poller)
{
	struct poller *old = *poller;
	struct watch *watch;

	*poller = NULL;
	if (!old)
		return;
	while ((watch = map_any(old->by_host)))
		watch_free(watch);
	map_free(&old->by_host);
	paces_free(old);
	free(old);
}

/* ---- moves ---- */

static void poller_on_answer(void *self, const struct response *response);

static void watch_send_query(struct watch *watch)
{
	struct dns_request_want want = {
		.opcode = OPCODE_QUERY,
		.zone = watch->zone,
		.server = watch->server,
		.tsig_key = watch->tsig_key,
		.timeout_ms = watch->poll.terms.timeout_ms,
		/*
		 * UDP brought no answer; or cannot, because Knot answers for catalog
		 * zones only over TCP
		 */
		.tcp = watch->subject.is_catalog ||
		       (watch->poll.silent && watch->poll.tries % 2),
	};

	loop_timer_cancel(watch->timer);
	watch->request =
	    dns_request_start(watch->poller->config.requests, &want, poller_on_answer,
	                      watch);
}

/* Reports that the server has the serial of an order that a newer one has replaced. */
static void watch_report_unreported(struct watch *watch)
{
	struct server_report report = subject_report(&watch->subject);

	report.report = REPORT_SUCCESS;
	report.has_serial = true;
	report.serial = watch->poll.serial;
	report.domain.state.serial = watch->poll.unreported;
	watch->poller->config.report(watch->poller->config.self, &report);
}

static bool watch_is_as_expected(const struct watch *watch,
                                 const struct poll_result *result)
{
	return result->report == REPORT_SUCCESS && result->has_serial &&
	       result->serial == watch->poll.terms.wanted;
}

/*
 * For a server that answers, but not with the wanted serial: returns the number of whole
 * transfers at this serial. The server takes these transfers, but does not load the zone.
 */
static int watch_sent(const struct watch *watch, const struct poll_result *result)
{
	const struct poller_config *config = &watch->poller->config;
	const struct response *last = &watch->poll.last;

	if (result->report != REPORT_ERROR || result->silent || result->unasked ||
	    watch->poll.terms.absence || last->fault ||
	    (last->kind != RESPONSE_SERIAL && last->kind != RESPONSE_FAILED))
		return 0;
	return config->sent_to(config->self, &watch->zone, &watch->server,
	                       watch->poll.terms.wanted);
}

static void watch_explain_sent(const struct watch *watch, struct poll_result *result)
{
	size_t len = strlen(result->reason);

	snprintf(result->reason + len, sizeof(result->reason) - len, "; mini-DNS has "
	         "sent the zone with serial %u: the log of the server says why the "
	         "server does not load the zone", watch->poll.terms.wanted);
}

static void watch_report_end(struct watch *watch)
{
	struct poller *poller = watch->poller;
	struct server_report report = subject_report(&watch->subject);
	struct poll_result result;

	poll_result(&watch->poll, &result);
	report.transfers = watch_sent(watch, &result);
	if (report.transfers)
		watch_explain_sent(watch, &result);
	report.report = result.report;
	report.has_serial = result.has_serial;
	report.serial = result.serial;
	report.reason = result.reason;
	report.silent = result.silent;
	report.unasked = result.unasked;
	if (result.report == REPORT_SUCCESS)
		metric_observe_us(poller->config.figures->success_us,
		                  clock_us() - watch->ordered_us);
	if (!watch->quiet || !watch_is_as_expected(watch, &result))
		poller->config.report(poller->config.self, &report);
	watch_free(watch);
}

/* Frees the watch after a report. */
static void poller_make_move(struct watch *watch, struct poll_move move)
{
	if (move.reached_unreported)
		watch_report_unreported(watch);
	switch (move.action) {
	case POLL_STAY:
		return;
	case POLL_SEND:
		watch_send_query(watch);
		return;
	case POLL_WAIT:
		loop_timer_set(watch->timer, move.wait_ms);
		return;
	case POLL_REPORT:
		watch_report_end(watch);
		return;
	}
}

/*
 * A quiet order found the server at an older serial: the server went back, or missed the
 * NOTIFY. If it is only late with a present change, another NOTIFY does no harm.
 */
static void poller_notify_behind(struct watch *watch)
{
	const struct poll_terms *terms = &watch->poll.terms;
	const struct server_report subject = subject_report(&watch->subject);
	const struct notify_order order = {
		.zone = watch->zone,
		.server = watch->server,
		.tsig_key = watch->tsig_key,
		.edition = edition_of(&subject.domain),
		.timeout_ms = terms->timeout_ms,
		.retry_interval_ms = terms->retry_interval_ms,
		.max_retries = terms->max_retries,
	};
	struct why why;

	watch->quiet = false;
	if (notifier_send(watch->poller->config.notifier, &order, &why))
		log_debug("server not notified: domain=%s reason=\"%s\"",
		          watch->subject.name, why.text);
}

static bool watch_is_behind(const struct watch *watch, const struct response *response)
{
	return response && response->kind == RESPONSE_SERIAL &&
	       serial_newer(watch->poll.terms.wanted, response->serial);
}

static void poller_on_answer(void *self, const struct response *response)
{
	struct watch *watch = self;
	struct metric *const *polls = watch->poller->config.figures->polls;

	watch->request = NULL;
	/* no poll ends with a mismatch, so its cell counts silence */
	metric_add(polls[response ? response->kind : RESPONSE_MISMATCH], 1);
	if (!response)
		watch->poll.is_server_silent = dns_requests_are_silent(
		    watch->poller->config.requests, &watch->server);
	if (watch->quiet && watch_is_behind(watch, response))
		poller_notify_behind(watch);
	poller_make_move(watch,
	                 poll_step(&watch->poll, response ? POLL_ANSWERED : POLL_SILENT,
	                           response));
}

static void poller_on_timer(void *self)
{
	struct watch *watch = self;

	poller_make_move(watch, poll_step(&watch->poll, POLL_TIMER, NULL));
}

/* ---- orders ---- */

static struct watch *watch_new(struct poller *poller, const struct name *zone,
                               const struct address *server)
{
	struct watch *watch = xcalloc(1, sizeof(*watch));

	watch->poller = poller;
	watch->zone = *zone;
	watch->server = *server;
	watch->timer = loop_timer_new(poller->loop, poller_on_timer, watch);
	watch->next = poller_first_watch(poller, zone, server);
	poller_set_first(poller, watch, watch);
	poller_count_orders(poller, 1);
	return watch;
}

static struct poll_terms poller_terms(const struct poll_order *order)
{
	return (struct poll_terms){
		.wanted = order->domain.state.serial,
		.absence = order->domain.state.task == TASK_DELETE,
		.timeout_ms = order->timeout_ms,
		.retry_interval_ms = order->retry_interval_ms,
		.max_retries = order->max_retries,
		.patience_ms = order->destination.patience_s * 1000,
	};
}

static void poller_start(struct watch *watch, const struct poll_terms *terms)
{
	const struct poller_config *config = &watch->poller->config;
	bool notify_is_out =
	    notifier_is_out(config->notifier, &watch->zone, &watch->server);
	int transfers =
	    transfers_running(config->transfers, &watch->zone, &watch->server);
	struct poll_move move =
	    poll_start(&watch->poll, terms, poller_pace(watch->poller, &watch->server),
	               notify_is_out);

	while (transfers--)
		poll_step(&watch->poll, POLL_TRANSFER_BEGAN, NULL);
	poller_make_move(watch, move);
}

/*
 * True: the order replaces the current one. It is newer, or one of the two concerns the
 * deletion of the domain. If two domains have the same name, the newer one has the newer
 * serial, and only that one counts.
 */
static bool poller_order_replaces(const struct poll_order *order,
                                  const struct poll_terms *terms,
                                  const struct watch *watch)
{
	const struct poll_terms *old = &watch->poll.terms;
	bool same = strcmp(order->domain.id, watch->subject.id) == 0;

	return serial_newer(terms->wanted, old->wanted) ||
	       (same && terms->absence && !old->absence);
}

enum err poller_order(struct poller *poller, const struct poll_order *order,
                      struct why *why)
{
	struct poll_terms terms = poller_terms(order);
	struct name zone;
	struct address server;
	struct name tsig_key;
	struct watch *watch;
	enum err err = route_read(order, &zone, &server, &tsig_key, why);

	if (err)
		return err;
	if (poller->handed_over)
		return fail(why, ERR_BUSY, "this process of mini-DNS is stopping: try "
		            "again later");
	watch = poller_find_watch(poller, &zone, &server);
	if (watch)
		watch->quiet &= order->quiet;
	if (watch && !poller_order_replaces(order, &terms, watch))
		return OK;
	if (!watch && poller->count >= MAX_ORDERS)
		return fail(why, ERR_BUSY, "too many polls are waiting for an answer (at "
		            "most %d may wait): try again later", MAX_ORDERS);
	if (watch) {
		subject_set(&watch->subject, order);
		watch->tsig_key = tsig_key;
		watch->ordered_us = clock_us();
		poller_make_move(watch, poll_renew(&watch->poll, &terms));
		return OK;
	}
	watch = watch_new(poller, &zone, &server);
	watch->quiet = order->quiet;
	watch->tsig_key = tsig_key;
	subject_set(&watch->subject, order);
	watch->ordered_us = clock_us();
	poller_start(watch, &terms);
	return OK;
}

/* ---- the end ---- */

static void watch_hand_over(const struct watch *watch, poller_take *take, void *self)
{
	const struct server_report subject = subject_report(&watch->subject);
	const struct poll_terms left = poll_left(&watch->poll);
	char host[ADDRESS_TEXT], tsig_key[NAME_MAX_TEXT + 1];

	address_format(&watch->server, host);
	if (watch->tsig_key.len)
		name_format(&watch->tsig_key, tsig_key);
	take(self, &(struct poll_order){
		.domain = subject.domain,
		.destination = {
			.id = watch->subject.name_server,
			.host = host,
			.port = watch->server.port,
			.tsig_key = watch->tsig_key.len ? tsig_key : NULL,
			.patience_s = (left.patience_ms + 999) / 1000,
		},
		.timeout_ms = left.timeout_ms,
		.retry_interval_ms = left.retry_interval_ms,
		.max_retries = left.max_retries,
		.quiet = watch->quiet,
	});
}

void poller_hand_over(struct poller *poller, poller_take *take, void *self)
{
	struct watch *watch;

	poller->handed_over = true;
	while ((watch = map_any(poller->by_host))) {
		watch_hand_over(watch, take, self);
		watch_free(watch);
	}
}

/* ---- events during a poll ---- */

void poller_notify_answered(struct poller *poller, const struct name *zone,
                            const struct address *server)
{
	struct watch *watch = poller_find_watch(poller, zone, server);

	if (watch)
		poller_make_move(watch,
		                 poll_step(&watch->poll, POLL_NOTIFY_ANSWERED, NULL));
}

/*
 * Passes an event to all watches of a zone and host. A move may free its watch, so the
 * next one is read before. (These events never end a poll: core/poll.c.)
 */
static bool poller_step_all(struct poller *poller, const struct name *zone,
                            const struct address *peer, enum poll_event event,
                            const struct response *brought)
{
	struct watch *first = poller_first_watch(poller, zone, peer);

	for (struct watch *at = first, *next; at; at = next) {
		struct poll_move move = poll_step(&at->poll, event, brought);

		bug_if(move.action == POLL_REPORT || move.reached_unreported);
		next = at->next;
		poller_make_move(at, move);
	}
	return first;
}

void poller_transfer_began(struct poller *poller, const struct name *zone,
                           const struct address *peer)
{
	poller_step_all(poller, zone, peer, POLL_TRANSFER_BEGAN, NULL);
}

bool poller_transfer_ended(struct poller *poller, const struct name *zone,
                           const struct address *peer, const uint32_t *serial)
{
	const struct response brought = {
		.kind = RESPONSE_SERIAL,
		.serial = serial ? *serial : 0,
	};

	return poller_step_all(poller, zone, peer, POLL_TRANSFER_ENDED,
	                       serial ? &brought : NULL);
}
