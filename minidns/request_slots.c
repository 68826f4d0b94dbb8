/*
 * request_slots -- opens waiting requests, one server after the other.
 *
 * It opens them at the end of a turn of the loop, a few at a time, so that timers and
 * answers are not late. The rest waits for the next turn.
 *
 * A silent server (core/silence.h) gets few questions. The other requests with it end at
 * once. A question over UDP or TCP from the address of the server also ends its silence,
 * unless several servers have this address.
 */
#include "dns_request_private.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "minidns.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "servers.h"

enum {
	/* requests with one server: a dead server must not take all */
	MAX_OPEN = 500,
	MAX_SERVERS = 64,		/* beyond them, servers share slots */
	OPEN_A_TURN = 32,		/* about a millisecond of work, */
	OPEN_US = 1000,			/* but not longer than this */
	LOWER_CASE_MS = 3600 * 1000,	/* then mini-DNS tries 0x20 again */
};

struct request_slots *request_slots_new(void)
{
	return xcalloc(MAX_SERVERS, sizeof(struct request_slots));
}

/* ---- slots of servers ---- */

static bool request_slots_same_server(const struct address *a, const struct address *b)
{
	return a->port == b->port && address_same_host(a, b);
}

/* Beyond MAX_SERVERS, servers share slots, by their address. */
static unsigned request_slots_shared_index(const struct address *server)
{
	unsigned hash = server->port;

	for (size_t i = 0; i < sizeof(server->octets); i++)
		hash = hash * 31 + server->octets[i];
	return hash % MAX_SERVERS;
}

static struct request_slots *request_slots_find(const struct dns_requests *requests,
                                                const struct address *server)
{
	for (int i = 0; i < requests->server_count; i++)
		if (request_slots_same_server(&requests->all_slots[i].server, server))
			return &requests->all_slots[i];
	return NULL;
}

static struct request_slots *request_slots_add(struct dns_requests *requests,
                                               const struct address *server)
{
	struct request_slots *slots = &requests->all_slots[requests->server_count++];

	slots->server = *server;
	slots->waiting_end = &slots->waiting;
	for (int kind = 0; kind < ASKED_KINDS; kind++)
		silence_init(&slots->silence[kind]);
	return slots;
}

static void request_slots_note_alive(struct dns_requests *requests,
                                     struct request_slots *slots);

static struct request_slots *request_slots_share(struct dns_requests *requests,
                                                 const struct address *server)
{
	struct request_slots *slots =
	    &requests->all_slots[request_slots_shared_index(server)];

	request_slots_note_alive(requests, slots);
	slots->shared = true;
	return slots;
}

static struct request_slots *request_slots_for(struct dns_requests *requests,
                                               const struct address *server)
{
	struct request_slots *slots = request_slots_find(requests, server);

	if (slots)
		return slots;
	return requests->server_count < MAX_SERVERS ? request_slots_add(requests, server)
	                                            : request_slots_share(requests,
	                                                                  server);
}

bool request_slots_is_known(const struct dns_request *request)
{
	struct servers *servers = request->requests->servers;
	const struct dns_request_want *want = &request->want;

	if (servers_may_hear(servers, &want->server, want->opcode == OPCODE_NOTIFY))
		return true;
	servers_hurry(servers, &want->server);
	return false;
}

/* ---- what is known about a server ---- */

static void request_slots_log_limited(const struct dns_request *request,
                                      const char *event, struct log_limit *limit)
{
	const struct address *to = &request->want.server;
	char server[ADDRESS_TEXT], zone[NAME_MAX_TEXT + 1];

	if (!log_is_due(limit, LOG_STRANGER_MS))
		return;
	address_format(to, server);
	name_format(&request->want.zone, zone);
	log_warn("%s: server=%s port=%u domain=%s unlogged=%llu", event, server,
	         to->port, zone, (unsigned long long)limit->unlogged);
}

void request_slots_note_unknown(struct dns_request *request)
{
	struct dns_requests *requests = request->requests;

	metric_add(requests->figures->exchanges_unknown_server, 1);
	request_slots_log_limited(request,
	                          "message not sent, because no server of a pool has "
	                          "this address",
	                          &requests->unknown_server);
}

void request_slots_distrusted(struct dns_request *request)
{
	struct dns_requests *requests = request->requests;

	metric_add(requests->figures->exchanges_distrusted, 1);
	request_slots_log_limited(request, "query repeated over TCP, because the answers "
	                          "over UDP may be forged",
	                          &requests->mismatched);
}

bool request_slots_case_not_echoed(const struct dns_request *request)
{
	int64_t now_ms = loop_now_ms(request->requests->loop);

	return now_ms < request->slots->lower_case_until_ms;
}

void request_slots_note_case_not_echoed(struct dns_request *request)
{
	struct request_slots *slots = request->slots;
	char server[ADDRESS_TEXT];

	slots->lower_case_until_ms = loop_now_ms(request->requests->loop) + LOWER_CASE_MS;
	address_format(&slots->server, server);
	log_info("server does not repeat the letter case of queries: server=%s port=%u",
	         server, slots->server.port);
}

/* ---- silence ---- */

static enum asked request_slots_kind(const struct dns_request *request)
{
	return request->want.opcode == OPCODE_NOTIFY ? ASKED_NOTIFY : ASKED_QUERY;
}

static struct silence *request_slots_silence(struct dns_request *request)
{
	return &request->slots->silence[request_slots_kind(request)];
}

static void request_slots_log(const char *event, const struct request_slots *slots,
                              enum asked kind)
{
	static const char *const names[] = { "query", "notify" };
	char server[ADDRESS_TEXT];

	address_format(&slots->server, server);
	log_warn("%s: server=%s port=%u asked=%s", event, server, slots->server.port,
	         names[kind]);
}

/*
 * The server is alive, whatever it says: this ends its silence for all kinds of requests.
 */
static void request_slots_note_alive(struct dns_requests *requests,
                                     struct request_slots *slots)
{
	int64_t now_ms = loop_now_ms(requests->loop);

	for (int kind = 0; kind < ASKED_KINDS; kind++) {
		if (!silence_heard(&slots->silence[kind], now_ms))
			continue;
		metric_add(requests->figures->servers_silent[kind], -1);
		request_slots_log("server answers again", slots, kind);
	}
}

void request_slots_answered(struct dns_request *request)
{
	request_slots_note_alive(request->requests, request->slots);
}

void request_slots_unanswered(struct dns_request *request)
{
	struct request_slots *slots = request->slots;
	int64_t now_ms = loop_now_ms(request->requests->loop);
	const struct unanswered question = { &request->want.zone, request->began_ms };
	enum asked kind = request_slots_kind(request);

	if (slots->shared || !silence_unanswered(&slots->silence[kind], &question, now_ms,
	                                         random_u32()))
		return;
	metric_add(request->requests->figures->servers_silent[kind], 1);
	request_slots_log("server is silent", slots, kind);
}

void dns_requests_note_alive(struct dns_requests *requests, const struct address *peer)
{
	struct request_slots *found = NULL;

	for (int i = 0; i < requests->server_count; i++) {
		if (!address_same_host(&requests->all_slots[i].server, peer))
			continue;
		if (found)
			return;
		found = &requests->all_slots[i];
	}
	if (found)
		request_slots_note_alive(requests, found);
}

bool dns_requests_are_silent(const struct dns_requests *requests,
                             const struct address *server)
{
	const struct request_slots *slots = request_slots_find(requests, server);

	return slots && silence_is(&slots->silence[ASKED_QUERY]);
}

/* ---- waiting requests ---- */

static void request_slots_unlink(struct dns_request *request)
{
	*request->link = request->next;
	if (request->next)
		request->next->link = request->link;
	else
		request->slots->waiting_end = request->link;
}

static bool request_slots_has_work(const struct request_slots *slots)
{
	struct dns_request *first = slots->waiting;

	return first && (slots->open < MAX_OPEN ||
	                 silence_is(request_slots_silence(first)));
}

/* The next server, in turn, whose first request can be sent or ended now. */
static struct request_slots *request_slots_next(struct dns_requests *requests)
{
	for (int i = 0; i < requests->server_count; i++) {
		unsigned at = requests->next_server++ % requests->server_count;
		struct request_slots *slots = &requests->all_slots[at];

		if (request_slots_has_work(slots))
			return slots;
	}
	return NULL;
}

static bool request_slots_is_skipped(struct dns_request *request)
{
	struct silence *silence = request_slots_silence(request);
	int64_t now_ms = loop_now_ms(request->requests->loop);

	return silence_is(silence) && !silence_allows(silence, now_ms, random_u32());
}

static void request_slots_open_first(struct request_slots *slots)
{
	struct dns_request *request = slots->waiting;

	if (request_slots_is_skipped(request)) {
		request->requests->skip(request);
		return;
	}
	request_slots_unlink(request);
	request->open = true;
	slots->open++;
	request->requests->open(request);
}

static void request_slots_open_later(struct dns_requests *requests);

static void request_slots_open_waiting(void *self)
{
	struct dns_requests *requests = self;
	int64_t until_us = clock_us() + OPEN_US;
	struct request_slots *slots;
	int opened = 0;

	requests->opening = false;
	do {
		slots = request_slots_next(requests);
		if (slots)
			request_slots_open_first(slots);
	} while (slots && ++opened < OPEN_A_TURN && clock_us() < until_us);
	if (slots)
		request_slots_open_later(requests);
}

static void request_slots_open_later(struct dns_requests *requests)
{
	if (requests->opening)
		return;
	requests->opening = true;
	loop_later(requests->loop, request_slots_open_waiting, requests);
}

void request_slots_wait(struct dns_request *request)
{
	struct request_slots *slots = request_slots_for(request->requests,
	                                                &request->want.server);

	request->slots = slots;
	request->link = slots->waiting_end;
	*slots->waiting_end = request;
	slots->waiting_end = &request->next;
	request_slots_open_later(request->requests);
}

void request_slots_leave(struct dns_request *request)
{
	if (!request->open) {
		request_slots_unlink(request);
		return;
	}
	request->slots->open--;
	if (request->slots->waiting)
		request_slots_open_later(request->requests);
}
