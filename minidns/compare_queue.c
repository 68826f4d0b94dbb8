#include "compare_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/id.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "compare_zone.h"
#include "dns_request.h"
#include "minidns.h"
#include "model/messages.h"
#include "route.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"

enum {
	MAX_RUNNING = 8,
	MAX_RUNNING_A_SERVER = 2,
	MAX_WAITING = 70000,		/* a message may bring 65536 */
	MAX_SERVERS = 10000,
	MAX_TRIES = 5,			/* until it stands still at one serial */
	BREAKS = 1,			/* a server that restarts, or is new to us, */
	AFTER_BREAK_MS = 3000,		/* is tried again when it is back and was read of */
	QUIET_MS = 60 * 1000,		/* between two lines on the same of a server */
};

/* A message, as long as an order of it is left. */
struct list {
	struct arena *arena;
	json_t *args;			/* what the propagation points into */
	struct propagation propagation;
	size_t users;
};

struct order {
	struct order *next;
	struct list *list;
	size_t at;
	struct route_key key;
	struct server *server;
	struct comparison *comparison;	/* NULL: it waits */
	struct loop_timer *timer;	/* till it waits, after a break */
	int tries, breaks;
	bool tell_equal;
};

struct server {
	struct server *next;		/* of those whose turn comes */
	struct compares *compares;
	struct route_key key;
	struct order *first, **end;
	int running;
	bool in_turn;
	struct log_limit log_limits[COMPARISON_OUTCOMES];
};

struct compares {
	struct loop *loop;
	struct compares_config config;
	struct comparison_parts parts;
	struct canonical record;
	struct map *servers;		/* by address; never forgotten */
	struct map *orders;		/* by zone and server: what waits or runs */
	struct server *turns, **turns_end;
	size_t waiting;
	int running;
	bool ended, due;		/* due: begin_some() is, at the end of the turn */
};

struct compares *compares_new(struct loop *loop, const struct compares_config *config)
{
	struct compares *compares = xcalloc(1, sizeof(*compares));

	compares->loop = loop;
	compares->config = *config;
	compares->parts = (struct comparison_parts){
		.loop = loop,
		.servers = config->servers,
		.requests = config->requests,
		.record = &compares->record,
		.lookup = config->lookup,
		.zones = config->zones,
		.deltas = config->deltas,
		.released = config->released,
		.self = config->self,
	};
	random_fill(&compares->parts.keys, sizeof(compares->parts.keys));
	compares->servers = map_new(random_u32());
	compares->orders = map_new(random_u32());
	compares->turns_end = &compares->turns;
	return compares;
}

static void list_release(struct list *list)
{
	if (--list->users)
		return;
	json_decref(list->args);
	arena_free(&list->arena);
	free(list);
}

/* Number AT: each domain for all its servers, then the next one. */
static struct poll_order poll_order_of(const struct list *list, size_t at)
{
	const struct propagation *propagation = &list->propagation;
	size_t servers = propagation->destination_count;
	struct poll_order order = propagation->terms;

	order.domain = propagation->domains.item[at / servers];
	order.destination = propagation->destinations[at % servers];
	return order;
}

static void order_free(struct order *order)
{
	struct compares *compares = order->server->compares;

	map_remove(compares->orders, order->key.octets, order->key.len);
	loop_timer_free(&order->timer);
	list_release(order->list);
	free(order);
}

/* ---- the end of one ---- */

static void begin_later(struct compares *compares);
static void take_turn(struct server *server);

static void report(const struct compares *compares, const struct poll_order *order,
                   const struct comparison_end *end)
{
	bool refused = end->outcome == COMPARISON_REFUSED;
	const struct server_report found = {
		.domain = order->domain,
		.name_server = order->destination.id,
		.report = REPORT_SUCCESS,
		.has_serial = !refused,
		.serial = refused ? 0 : end->serial,
		.differs = end->outcome == COMPARISON_DIFFERS,
		.equal = end->outcome == COMPARISON_EQUAL,
		.refused = refused,
		.reason = end->outcome == COMPARISON_EQUAL ? "" : end->words,
	};

	compares->config.report(compares->config.self, &found);
}

static bool is_to_be_told(const struct order *order, enum comparison_outcome outcome)
{
	return outcome == COMPARISON_DIFFERS ||
	       (order->tell_equal &&
	        (outcome == COMPARISON_EQUAL || outcome == COMPARISON_REFUSED));
}

static void log_uncompared(struct server *server, const struct poll_order *order,
                           const struct comparison_end *end)
{
	static const char advice[] =
	    "; allow transfers to minidns' address to have the content compared";

	if (!log_is_due(&server->log_limits[end->outcome], QUIET_MS))
		return;
	log_info("content not compared: domain=%s server=%s host=%s port=%u outcome=%s "
	         "why=\"%s%s\"", order->domain.name, order->destination.id,
	         order->destination.host, order->destination.port,
	         comparison_outcome_name(end->outcome), end->words,
	         end->outcome == COMPARISON_REFUSED ? advice : "");
}

static void tell(struct order *order, const struct comparison_end *end)
{
	struct compares *compares = order->server->compares;
	struct poll_order what = poll_order_of(order->list, order->at);

	metric_add(compares->config.figures->comparisons[end->outcome], 1);
	if (is_to_be_told(order, end->outcome))
		report(compares, &what, end);
	if (end->outcome >= COMPARISON_REFUSED)
		log_uncompared(order->server, &what, end);
	else if (end->outcome != COMPARISON_DIFFERS)
		log_debug("content compared: domain=%s server=%s serial=%u outcome=%s "
		          "why=\"%s\"", what.domain.name, what.destination.id,
		          end->serial, comparison_outcome_name(end->outcome), end->words);
}

static void put(struct order *order)
{
	struct server *server = order->server;

	order->next = NULL;
	order->comparison = NULL;
	*server->end = order;
	server->end = &order->next;
	server->compares->waiting++;
}

/* Else the server has a serial of its own, and will have it at the next try, too. */
static bool changes(const struct order *order, const struct comparison_end *end)
{
	const struct state state = poll_order_of(order->list, order->at).domain.state;

	return state.status != STATUS_ACTIVE || state.serial != end->serial;
}

static void put_again(void *self)
{
	struct order *order = self;

	put(order);
	take_turn(order->server);
	begin_later(order->server->compares);
}

static void put_after_break(struct order *order)
{
	order->comparison = NULL;
	order->breaks++;
	order->timer = loop_timer_new(order->server->compares->loop, put_again, order);
	loop_timer_set(order->timer, AFTER_BREAK_MS);
}

/* A zone that changes meanwhile comes again, behind the others. */
static void on_end(void *self, const struct comparison_end *end)
{
	struct order *order = self;
	struct server *server = order->server;

	server->compares->running--;
	server->running--;
	if (end->outcome == COMPARISON_SERIAL && changes(order, end) &&
	    ++order->tries < MAX_TRIES) {
		put(order);
	} else if (end->may_pass && order->breaks < BREAKS) {
		put_after_break(order);
	} else {
		tell(order, end);
		order_free(order);
	}
	take_turn(server);
	begin_later(server->compares);
}

/* ---- turns ---- */

/* Behind the others, if something waits for it and it has room. */
static void take_turn(struct server *server)
{
	struct compares *compares = server->compares;

	if (server->in_turn || server->running == MAX_RUNNING_A_SERVER || !server->first)
		return;
	server->in_turn = true;
	server->next = NULL;
	*compares->turns_end = server;
	compares->turns_end = &server->next;
}

static struct server *next_in_turn(struct compares *compares)
{
	struct server *server = compares->turns;

	compares->turns = server->next;
	if (!compares->turns)
		compares->turns_end = &compares->turns;
	server->in_turn = false;
	return server;
}

static struct order *pop(struct server *server)
{
	struct order *order = server->first;

	server->first = order->next;
	if (!server->first)
		server->end = &server->first;
	server->compares->waiting--;
	return order;
}

static void begin(struct server *server)
{
	struct compares *compares = server->compares;
	struct order *order = pop(server);
	struct poll_order what = poll_order_of(order->list, order->at);
	struct comparison_want want = { .silence_ms = what.timeout_ms };
	struct why why;

	/* it was read when it was taken up */
	bug_if(route_read(&what, &want.zone, &want.server, &want.tsig_key, &why));
	memcpy(want.id, what.domain.id, sizeof(want.id));
	server->running++;
	compares->running++;
	order->comparison = comparison_start(&compares->parts, &want, on_end, order);
	take_turn(server);
}

static void begin_some(void *self)
{
	struct compares *compares = self;

	compares->due = false;
	while (compares->turns && compares->running < MAX_RUNNING)
		begin(next_in_turn(compares));
}

static void begin_later(struct compares *compares)
{
	if (compares->due || compares->ended)
		return;
	compares->due = true;
	loop_later(compares->loop, begin_some, compares);
}

/* ---- orders ---- */

/* NULL: there are too many. */
static struct server *server_of(struct compares *compares, const struct address *address)
{
	static const struct name no_zone = { .len = 0 };
	struct route_key key;
	struct server *server;

	route_key(&no_zone, address, &key);
	server = map_get(compares->servers, key.octets, key.len);
	if (server || map_count(compares->servers) >= MAX_SERVERS)
		return server;
	server = xcalloc(1, sizeof(*server));
	server->compares = compares;
	server->key = key;
	server->end = &server->first;
	map_put(compares->servers, key.octets, key.len, server);
	return server;
}

static enum err add(struct compares *compares, struct list *list, size_t at,
                    struct why *why)
{
	struct poll_order what = poll_order_of(list, at);
	struct name zone, tsig_key;
	struct address address;
	struct route_key key;
	struct server *server;
	struct order *order;
	enum err err = route_read(&what, &zone, &address, &tsig_key, why);

	if (err)
		return err;
	route_key(&zone, &address, &key);
	order = map_get(compares->orders, key.octets, key.len);
	if (order) {
		order->tell_equal |= list->propagation.tell_equal;
		return OK;
	}
	server = server_of(compares, &address);
	if (!server)
		return fail(why, ERR_INVALID, "more than %d servers", MAX_SERVERS);
	order = xcalloc(1, sizeof(*order));
	*order = (struct order){
		.list = list, .at = at, .key = key, .server = server,
		.tell_equal = list->propagation.tell_equal,
	};
	list->users++;
	map_put(compares->orders, key.octets, key.len, order);
	put(order);
	take_turn(server);
	return OK;
}

static enum err add_all(struct compares *compares, struct list *list, struct why *why)
{
	size_t count =
	    list->propagation.domains.count * list->propagation.destination_count;
	enum err first = OK;
	struct why other;

	if (compares->waiting + count > MAX_WAITING)
		return fail(why, ERR_BUSY, "too many zones wait to be compared already");
	for (size_t at = 0; at < count; at++) {
		enum err err = add(compares, list, at, first ? &other : why);

		first = first ? first : err;
	}
	begin_later(compares);
	return first;
}

enum err compares_take(struct compares *compares, const json_t *args, struct why *why)
{
	struct list *list = xcalloc(1, sizeof(*list));
	enum err err;

	list->users = 1;
	list->arena = arena_new();
	list->args = json_incref((json_t *)args);
	err = propagation_decode(list->args, list->arena, &list->propagation, why);
	if (!err)
		err = add_all(compares, list, why);
	list_release(list);
	return err;
}

/* ---- the end of all ---- */

void compares_end(struct compares *compares)
{
	struct order *order;

	compares->ended = true;
	loop_later_cancel(compares->loop, compares);
	while ((order = map_any(compares->orders))) {
		comparison_cancel(&order->comparison);
		order_free(order);
	}
}

void compares_free(struct compares **compares)
{
	struct compares *old = *compares;
	struct server *server;

	*compares = NULL;
	if (!old)
		return;
	while ((server = map_any(old->servers))) {
		map_remove(old->servers, server->key.octets, server->key.len);
		free(server);
	}
	map_free(&old->servers);
	map_free(&old->orders);
	free(old);
}
