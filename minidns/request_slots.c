/*
 * exchange_place -- opens the exchanges that wait, one server after the other.
 *
 * It opens them at the end of a turn of the loop, a few at a time, so that timers and
 * answers are not late. The rest waits for the next turn.
 *
 * A silent server (core/silence.h) gets few questions. The other exchanges with it end
 * at once. A question over UDP or TCP from the address of the server also ends its
 * silence, unless several servers have this address.
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
	MAX_OPEN = 500,			/* of one server: a dead one must not take all */
	MAX_PLACES = 64,		/* more servers than these share places */
	OPEN_A_TURN = 32,		/* about a millisecond of work, */
	OPEN_US = 1000,			/* and no more */
	LOWER_CASE_MS = 3600 * 1000,	/* then mini-DNS tries 0x20 again */
};

struct place *places_new(void)
{
	return xcalloc(MAX_PLACES, sizeof(struct place));
}

/* ---- places ---- */

static bool same_server(const struct address *a, const struct address *b)
{
	return a->port == b->port && address_same_host(a, b);
}

/* More servers than places: some share one, by their address. */
static unsigned shared_place(const struct address *server)
{
	unsigned hash = server->port;

	for (size_t i = 0; i < sizeof(server->octets); i++)
		hash = hash * 31 + server->octets[i];
	return hash % MAX_PLACES;
}

static struct place *find_place(const struct exchanges *exchanges,
                                const struct address *server)
{
	for (int i = 0; i < exchanges->place_count; i++)
		if (same_server(&exchanges->places[i].server, server))
			return &exchanges->places[i];
	return NULL;
}

static struct place *place_new(struct exchanges *exchanges, const struct address *server)
{
	struct place *place = &exchanges->places[exchanges->place_count++];

	place->server = *server;
	place->waiting_end = &place->waiting;
	for (int kind = 0; kind < ASKED_KINDS; kind++)
		silence_init(&place->silence[kind]);
	return place;
}

static void hear_from(struct exchanges *exchanges, struct place *place);

static struct place *share_place(struct exchanges *exchanges,
                                 const struct address *server)
{
	struct place *place = &exchanges->places[shared_place(server)];

	hear_from(exchanges, place);
	place->shared = true;
	return place;
}

static struct place *place_for(struct exchanges *exchanges, const struct address *server)
{
	struct place *place = find_place(exchanges, server);

	if (place)
		return place;
	return exchanges->place_count < MAX_PLACES ? place_new(exchanges, server)
	                                           : share_place(exchanges, server);
}

bool place_is_known(const struct exchange *exchange)
{
	struct servers *servers = exchange->exchanges->servers;
	const struct exchange_want *want = &exchange->want;

	if (servers_may_hear(servers, &want->server, want->opcode == OPCODE_NOTIFY))
		return true;
	servers_hurry(servers, &want->server);
	return false;
}

/* ---- what is told of a server ---- */

static void log_limited(const struct exchange *exchange, const char *event,
                        struct log_limit *limit)
{
	const struct address *to = &exchange->want.server;
	char server[ADDRESS_TEXT], zone[NAME_MAX_TEXT + 1];

	if (!log_is_due(limit, LOG_STRANGER_MS))
		return;
	address_format(to, server);
	name_format(&exchange->want.zone, zone);
	log_warn("%s: server=%s port=%u zone=%s unlogged=%llu", event, server,
	         to->port, zone, (unsigned long long)limit->unlogged);
}

void place_note_unknown(struct exchange *exchange)
{
	struct exchanges *exchanges = exchange->exchanges;

	metric_add(exchanges->figures->exchanges_unknown_server, 1);
	log_limited(exchange, "message not sent, its address is no server of a pool",
	            &exchanges->unknown_server);
}

void place_distrusted(struct exchange *exchange)
{
	struct exchanges *exchanges = exchange->exchanges;

	metric_add(exchanges->figures->exchanges_distrusted, 1);
	log_limited(exchange, "answers may be forged, asked again over TCP",
	            &exchanges->mismatched);
}

bool place_case_not_echoed(const struct exchange *exchange)
{
	int64_t now_ms = loop_now_ms(exchange->exchanges->loop);

	return now_ms < exchange->place->lower_case_until_ms;
}

void place_note_case_not_echoed(struct exchange *exchange)
{
	struct place *place = exchange->place;
	char server[ADDRESS_TEXT];

	place->lower_case_until_ms = loop_now_ms(exchange->exchanges->loop) + LOWER_CASE_MS;
	address_format(&place->server, server);
	log_info("server does not echo the case of questions: server=%s port=%u", server,
	         place->server.port);
}

/* ---- silence ---- */

static enum asked kind_of(const struct exchange *exchange)
{
	return exchange->want.opcode == OPCODE_NOTIFY ? ASKED_NOTIFY : ASKED_QUERY;
}

static struct silence *silence_of(struct exchange *exchange)
{
	return &exchange->place->silence[kind_of(exchange)];
}

static void log_place(const char *event, const struct place *place, enum asked kind)
{
	static const char *const names[] = { "query", "notify" };
	char server[ADDRESS_TEXT];

	address_format(&place->server, server);
	log_warn("%s: server=%s port=%u asked=%s", event, server, place->server.port,
	         names[kind]);
}

/* Whatever it says, it is there for all. */
static void hear_from(struct exchanges *exchanges, struct place *place)
{
	int64_t now_ms = loop_now_ms(exchanges->loop);

	for (int kind = 0; kind < ASKED_KINDS; kind++) {
		if (!silence_heard(&place->silence[kind], now_ms))
			continue;
		metric_add(exchanges->figures->servers_silent[kind], -1);
		log_place("server answers again", place, kind);
	}
}

void place_heard(struct exchange *exchange)
{
	hear_from(exchange->exchanges, exchange->place);
}

void place_unanswered(struct exchange *exchange)
{
	struct place *place = exchange->place;
	int64_t now_ms = loop_now_ms(exchange->exchanges->loop);
	const struct unanswered question = { &exchange->want.zone, exchange->began_ms };

	if (place->shared || !silence_unanswered(silence_of(exchange), &question, now_ms,
	                                         random_u32()))
		return;
	metric_add(exchange->exchanges->figures->servers_silent[kind_of(exchange)], 1);
	log_place("server is silent", place, kind_of(exchange));
}

void exchanges_heard_from(struct exchanges *exchanges, const struct address *peer)
{
	struct place *found = NULL;

	for (int i = 0; i < exchanges->place_count; i++) {
		if (!address_same_host(&exchanges->places[i].server, peer))
			continue;
		if (found)
			return;
		found = &exchanges->places[i];
	}
	if (found)
		hear_from(exchanges, found);
}

int64_t exchanges_silent_since(const struct exchanges *exchanges,
                               const struct address *server)
{
	const struct place *place = find_place(exchanges, server);
	const struct silence *silence = place ? &place->silence[ASKED_QUERY] : NULL;

	if (!silence || !silence_is(silence))
		return 0;
	return clock_unix() - (loop_now_ms(exchanges->loop) - silence->since_ms) / 1000;
}

/* ---- who waits ---- */

static void unlink_waiting(struct exchange *exchange)
{
	*exchange->link = exchange->next;
	if (exchange->next)
		exchange->next->link = exchange->link;
	else
		exchange->place->waiting_end = exchange->link;
}

static bool has_work(const struct place *place)
{
	struct exchange *first = place->waiting;

	return first && (place->open < MAX_OPEN || silence_is(silence_of(first)));
}

/* The next server, in turn, that somebody may be sent to, or need not wait for. */
static struct place *next_place(struct exchanges *exchanges)
{
	for (int i = 0; i < exchanges->place_count; i++) {
		unsigned at = exchanges->next_place++ % exchanges->place_count;
		struct place *place = &exchanges->places[at];

		if (has_work(place))
			return place;
	}
	return NULL;
}

static bool is_spared(struct exchange *exchange)
{
	struct silence *silence = silence_of(exchange);
	int64_t now_ms = loop_now_ms(exchange->exchanges->loop);

	return silence_is(silence) && !silence_allows(silence, now_ms, random_u32());
}

static void open_first(struct place *place)
{
	struct exchange *exchange = place->waiting;

	if (is_spared(exchange)) {
		exchange_spare(exchange);
		return;
	}
	unlink_waiting(exchange);
	exchange->open = true;
	place->open++;
	exchange_open(exchange);
}

static void open_waiting_later(struct exchanges *exchanges);

static void open_waiting(void *self)
{
	struct exchanges *exchanges = self;
	int64_t until_us = clock_us() + OPEN_US;
	struct place *place;
	int opened = 0;

	exchanges->opening = false;
	do {
		place = next_place(exchanges);
		if (place)
			open_first(place);
	} while (place && ++opened < OPEN_A_TURN && clock_us() < until_us);
	if (place)
		open_waiting_later(exchanges);
}

static void open_waiting_later(struct exchanges *exchanges)
{
	if (exchanges->opening)
		return;
	exchanges->opening = true;
	loop_later(exchanges->loop, open_waiting, exchanges);
}

void place_wait(struct exchange *exchange)
{
	struct place *place = place_for(exchange->exchanges, &exchange->want.server);

	exchange->place = place;
	exchange->link = place->waiting_end;
	*place->waiting_end = exchange;
	place->waiting_end = &exchange->next;
	open_waiting_later(exchange->exchanges);
}

void place_leave(struct exchange *exchange)
{
	if (!exchange->open) {
		unlink_waiting(exchange);
		return;
	}
	exchange->place->open--;
	if (exchange->place->waiting)
		open_waiting_later(exchange->exchanges);
}
