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
	MAX_TRIES = 5,			/* tries until a zone keeps one serial */
	BREAKS = 1,			/* a server is tried again once after a break */
	/* between two log lines of the same kind about a server */
	QUIET_MS = 60 * 1000,
};

/* A message, until its last order is done. */
struct compare_list {
	struct arena *arena;
	json_t *args;			/* memory of the propagation */
	struct propagation propagation;
	size_t users;
};

struct compare_order {
	struct compare_order *next;
	struct compare_list *list;
	size_t at;
	struct route_key key;
	struct server *server;
	struct compare_zone *compare;	/* NULL: it waits */
	/* the pause after a break, before it waits again */
	struct loop_timer *timer;
	int tries, breaks;
	bool tell_equal;
};

struct server {
	struct server *next;		/* the next server whose turn comes */
	struct compare_queue *queue;
	struct route_key key;
	struct compare_order *first, **end;
	int running;
	bool in_turn;
	struct log_limit log_limits[COMPARE_OUTCOMES];
};

struct compare_queue {
	struct loop *loop;
	struct compare_queue_config config;
	struct compare_zone_parts parts;
	struct canonical record;
	struct map *servers;		/* by address; entries are never removed */
	/* waiting and running orders, by zone and server */
	struct map *orders;
	struct server *turns, **turns_end;
	size_t waiting;
	int running;
	bool ended, due;		/* compare_queue_begin_some() is scheduled */
};

struct compare_queue *compare_queue_new(struct loop *loop,
                                        const struct compare_queue_config *config)
{
	struct compare_queue *queue = xcalloc(1, sizeof(*queue));

	queue->loop = loop;
	queue->config = *config;
	queue->parts = (struct compare_zone_parts){
		.loop = loop,
		.servers = config->servers,
		.requests = config->requests,
		.record = &queue->record,
		.lookup = config->lookup,
		.zones = config->zones,
		.deltas = config->deltas,
		.released = config->released,
		.self = config->self,
	};
	random_fill(&queue->parts.keys, sizeof(queue->parts.keys));
	queue->servers = map_new(random_u32());
	queue->orders = map_new(random_u32());
	queue->turns_end = &queue->turns;
	return queue;
}

static void compare_list_release(struct compare_list *list)
{
	if (--list->users)
		return;
	json_decref(list->args);
	arena_free(&list->arena);
	free(list);
}

/* Order number AT: each domain for all its servers, then the next domain. */
static struct poll_order compare_list_at(const struct compare_list *list, size_t at)
{
	const struct propagation *propagation = &list->propagation;
	size_t servers = propagation->destination_count;
	struct poll_order order = propagation->terms;

	order.domain = propagation->domains.item[at / servers];
	order.destination = propagation->destinations[at % servers];
	return order;
}

static void compare_order_free(struct compare_order *order)
{
	struct compare_queue *queue = order->server->queue;

	map_remove(queue->orders, order->key.octets, order->key.len);
	loop_timer_free(&order->timer);
	compare_list_release(order->list);
	free(order);
}

/* ---- the end of a comparison ---- */

static void compare_queue_begin_later(struct compare_queue *queue);
static void compare_queue_enter_turn(struct server *server);

/* For a server that does not serve the right records. */
static int compare_queue_transfers(const struct compare_queue *queue,
                                   const struct poll_order *order,
                                   const struct compare_zone_end *end)
{
	struct name zone, tsig_key;
	struct address server;
	struct why why;

	if (end->outcome == COMPARE_EQUAL)
		return 0;
	bug_if(route_read(order, &zone, &server, &tsig_key, &why));
	return queue->config.transfers_of(
	    queue->config.self, &zone, &server,
	    end->outcome == COMPARE_DIFFERS ? end->serial : order->domain.state.serial);
}

static void compare_queue_report(const struct compare_queue *queue,
                                 const struct poll_order *order,
                                 const struct compare_zone_end *end)
{
	bool refused = end->outcome == COMPARE_REFUSED;
	const struct server_report found = {
		.domain = order->domain,
		.name_server = order->destination.id,
		.report = REPORT_SUCCESS,
		.has_serial = !refused,
		.serial = refused ? 0 : end->serial,
		.differs = end->outcome == COMPARE_DIFFERS,
		.equal = end->outcome == COMPARE_EQUAL,
		.refused = refused,
		.transfers = compare_queue_transfers(queue, order, end),
		.reason = end->outcome == COMPARE_EQUAL ? "" : end->words,
	};

	queue->config.report(queue->config.self, &found);
}

static bool compare_queue_is_reported(const struct compare_order *order,
                                      enum compare_outcome outcome)
{
	return outcome == COMPARE_DIFFERS ||
	       (order->tell_equal &&
	        (outcome == COMPARE_EQUAL || outcome == COMPARE_REFUSED));
}

static void compare_queue_log_uncompared(struct server *server,
                                         const struct poll_order *order,
                                         const struct compare_zone_end *end)
{
	static const char advice[] =
	    "; to compare the content, allow mini-DNS to transfer the zone from the "
	    "server";

	if (!log_is_due(&server->log_limits[end->outcome], QUIET_MS))
		return;
	log_info("content not compared: domain=%s server=%s host=%s port=%u outcome=%s "
	         "reason=\"%s%s\"", order->domain.name, order->destination.id,
	         order->destination.host, order->destination.port,
	         compare_outcome_name(end->outcome), end->words,
	         end->outcome == COMPARE_REFUSED ? advice : "");
}

static void compare_queue_finish(struct compare_order *order,
                                 const struct compare_zone_end *end)
{
	struct compare_queue *queue = order->server->queue;
	struct poll_order what = compare_list_at(order->list, order->at);

	if (compare_queue_is_reported(order, end->outcome))
		compare_queue_report(queue, &what, end);
	if (end->outcome >= COMPARE_REFUSED)
		compare_queue_log_uncompared(order->server, &what, end);
	else if (end->outcome != COMPARE_DIFFERS)
		log_debug("content compared: domain=%s server=%s serial=%u outcome=%s "
		          "reason=\"%s\"", what.domain.name, what.destination.id,
		          end->serial, compare_outcome_name(end->outcome), end->words);
	/* The last act: the log already has the reason when the counter is seen. */
	metric_add(queue->config.figures->comparisons[end->outcome], 1);
}

static void compare_queue_put(struct compare_order *order)
{
	struct server *server = order->server;

	order->next = NULL;
	order->compare = NULL;
	*server->end = order;
	server->end = &order->next;
	server->queue->waiting++;
}

/*
 * True: the zone changes meanwhile. False: the server has a serial of its own and keeps
 * it.
 */
static bool compare_queue_is_changing(const struct compare_order *order,
                                      const struct compare_zone_end *end)
{
	const struct state state = compare_list_at(order->list, order->at).domain.state;

	return state.status != STATUS_ACTIVE || state.serial != end->serial;
}

static void compare_queue_put_again(void *self)
{
	struct compare_order *order = self;

	compare_queue_put(order);
	compare_queue_enter_turn(order->server);
	compare_queue_begin_later(order->server->queue);
}

static void compare_queue_put_later(struct compare_order *order, int pause_ms)
{
	order->compare = NULL;
	order->breaks++;
	order->timer = loop_timer_new(order->server->queue->loop, compare_queue_put_again,
	                              order);
	loop_timer_set(order->timer, pause_ms);
}

/* A zone that changes during the comparison is compared again, behind the others. */
static void compare_queue_on_end(void *self, const struct compare_zone_end *end)
{
	struct compare_order *order = self;
	struct server *server = order->server;

	server->queue->running--;
	server->running--;
	if (end->outcome == COMPARE_SERIAL && compare_queue_is_changing(order, end) &&
	    ++order->tries < MAX_TRIES) {
		compare_queue_put(order);
	} else if (end->again_ms && order->breaks < BREAKS) {
		compare_queue_put_later(order, end->again_ms);
	} else {
		compare_queue_finish(order, end);
		compare_order_free(order);
	}
	compare_queue_enter_turn(server);
	compare_queue_begin_later(server->queue);
}

/* ---- turns ---- */

/*
 * Puts the server at the end of the turn list, if it has waiting orders and room for one.
 */
static void compare_queue_enter_turn(struct server *server)
{
	struct compare_queue *queue = server->queue;

	if (server->in_turn || server->running == MAX_RUNNING_A_SERVER || !server->first)
		return;
	server->in_turn = true;
	server->next = NULL;
	*queue->turns_end = server;
	queue->turns_end = &server->next;
}

static struct server *compare_queue_next_in_turn(struct compare_queue *queue)
{
	struct server *server = queue->turns;

	queue->turns = server->next;
	if (!queue->turns)
		queue->turns_end = &queue->turns;
	server->in_turn = false;
	return server;
}

static struct compare_order *compare_queue_pop(struct server *server)
{
	struct compare_order *order = server->first;

	server->first = order->next;
	if (!server->first)
		server->end = &server->first;
	server->queue->waiting--;
	return order;
}

static void compare_queue_begin(struct server *server)
{
	struct compare_queue *queue = server->queue;
	struct compare_order *order = compare_queue_pop(server);
	struct poll_order what = compare_list_at(order->list, order->at);
	struct compare_zone_want want = { .silence_ms = what.timeout_ms };
	struct why why;

	/* the order was read before when it was queued */
	bug_if(route_read(&what, &want.zone, &want.server, &want.tsig_key, &why));
	memcpy(want.id, what.domain.id, sizeof(want.id));
	server->running++;
	queue->running++;
	order->compare = compare_zone_start(&queue->parts, &want, compare_queue_on_end,
	                                    order);
	compare_queue_enter_turn(server);
}

static void compare_queue_begin_some(void *self)
{
	struct compare_queue *queue = self;

	queue->due = false;
	while (queue->turns && queue->running < MAX_RUNNING)
		compare_queue_begin(compare_queue_next_in_turn(queue));
}

static void compare_queue_begin_later(struct compare_queue *queue)
{
	if (queue->due || queue->ended)
		return;
	queue->due = true;
	loop_later(queue->loop, compare_queue_begin_some, queue);
}

/* ---- orders ---- */

/* NULL: there are too many servers. */
static struct server *compare_queue_server(struct compare_queue *queue,
                                           const struct address *address)
{
	static const struct name no_zone = { .len = 0 };
	struct route_key key;
	struct server *server;

	route_key(&no_zone, address, &key);
	server = map_get(queue->servers, key.octets, key.len);
	if (server || map_count(queue->servers) >= MAX_SERVERS)
		return server;
	server = xcalloc(1, sizeof(*server));
	server->queue = queue;
	server->key = key;
	server->end = &server->first;
	map_put(queue->servers, key.octets, key.len, server);
	return server;
}

static enum err compare_queue_add_one(struct compare_queue *queue,
                                      struct compare_list *list, size_t at,
                                      struct why *why)
{
	struct poll_order what = compare_list_at(list, at);
	struct name zone, tsig_key;
	struct address address;
	struct route_key key;
	struct server *server;
	struct compare_order *order;
	enum err err = route_read(&what, &zone, &address, &tsig_key, why);

	if (err)
		return err;
	route_key(&zone, &address, &key);
	order = map_get(queue->orders, key.octets, key.len);
	if (order) {
		order->tell_equal |= list->propagation.tell_equal;
		return OK;
	}
	server = compare_queue_server(queue, &address);
	if (!server)
		return fail(why, ERR_BUSY, "mini-DNS is already comparing the zones of "
		            "%d servers, the largest number allowed: try again later",
		            MAX_SERVERS);
	order = xcalloc(1, sizeof(*order));
	*order = (struct compare_order){
		.list = list, .at = at, .key = key, .server = server,
		.tell_equal = list->propagation.tell_equal,
	};
	list->users++;
	map_put(queue->orders, key.octets, key.len, order);
	compare_queue_put(order);
	compare_queue_enter_turn(server);
	return OK;
}

static enum err compare_queue_add_all(struct compare_queue *queue,
                                      struct compare_list *list, struct why *why)
{
	size_t count =
	    list->propagation.domains.count * list->propagation.destination_count;
	enum err result = OK;

	if (queue->waiting + count > MAX_WAITING)
		return fail(why, ERR_BUSY, "%zu zones are already waiting for a "
		            "comparison (at most %d may wait): try again later",
		            queue->waiting,
		            MAX_WAITING);
	for (size_t at = 0; at < count; at++) {
		struct why one;
		enum err err = compare_queue_add_one(queue, list, at, &one);

		/* the pool manager repeats the list only after ERR_BUSY */
		if (!err || (result && err != ERR_BUSY))
			continue;
		result = err;
		*why = one;
	}
	compare_queue_begin_later(queue);
	return result;
}

enum err compare_queue_add(struct compare_queue *queue, const json_t *args,
                           struct why *why)
{
	struct compare_list *list = xcalloc(1, sizeof(*list));
	enum err err;

	list->users = 1;
	list->arena = arena_new();
	list->args = json_incref((json_t *)args);
	err = propagation_decode(list->args, list->arena, &list->propagation, why);
	if (!err)
		err = compare_queue_add_all(queue, list, why);
	compare_list_release(list);
	return err;
}

/* ---- the end of the queue ---- */

void compare_queue_end(struct compare_queue *queue)
{
	struct compare_order *order;

	queue->ended = true;
	loop_later_cancel(queue->loop, queue);
	while ((order = map_any(queue->orders))) {
		compare_zone_cancel(&order->compare);
		compare_order_free(order);
	}
}

void compare_queue_free(struct compare_queue **queue)
{
	struct compare_queue *old = *queue;
	struct server *server;

	*queue = NULL;
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
