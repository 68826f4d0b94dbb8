/*
 * Who may be out to a server, and who waits. What became free is given away at the
 * end of a turn of the loop, to one server after the other, and so little of it at a
 * time that timers and answers are not kept waiting: the rest is the next turn's.
 */
#include "exchange_private.h"

#include "base/mem.h"
#include "runtime/loop.h"

enum {
	MAX_OPEN = 500,			/* of one server: a dead one must not take all */
	MAX_PLACES = 64,		/* more servers than these share places */
	OPEN_A_TURN = 32,		/* about a millisecond of work */
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

static struct place *place_for(struct exchanges *exchanges, const struct address *server)
{
	for (int i = 0; i < exchanges->place_count; i++)
		if (same_server(&exchanges->places[i].server, server))
			return &exchanges->places[i];
	if (exchanges->place_count == MAX_PLACES)
		return &exchanges->places[shared_place(server)];

	struct place *place = &exchanges->places[exchanges->place_count++];
	place->server = *server;
	place->waiting_end = &place->waiting;
	return place;
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

/* The next server, in turn, that somebody may be sent to. */
static struct place *next_place(struct exchanges *exchanges)
{
	for (int i = 0; i < exchanges->place_count; i++) {
		unsigned at = exchanges->next_place++ % exchanges->place_count;
		struct place *place = &exchanges->places[at];

		if (place->waiting && place->open < MAX_OPEN)
			return place;
	}
	return NULL;
}

static void open_first(struct place *place)
{
	struct exchange *exchange = place->waiting;

	unlink_waiting(exchange);
	exchange->open = true;
	place->open++;
	exchange_open(exchange);
}

static void open_waiting_later(struct exchanges *exchanges);

static void open_waiting(void *self)
{
	struct exchanges *exchanges = self;
	struct place *place = NULL;

	exchanges->opening = false;
	for (int i = 0; i < OPEN_A_TURN && (place = next_place(exchanges)); i++)
		open_first(place);
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
