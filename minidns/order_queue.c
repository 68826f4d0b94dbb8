#include "order_queue.h"

#include <stdlib.h>

#include "announcer.h"
#include "base/arena.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/soa_cache.h"
#include "model/messages.h"
#include "notifier.h"
#include "poller.h"
#include "route.h"
#include "runtime/loop.h"

enum { ORDERS_A_TURN = 128 };		/* less than a millisecond of work */

/* A message, and the number of its started orders. */
struct order_list {
	struct order_list *next;
	struct arena *arena;
	json_t *args;			/* memory of the propagation */
	struct propagation propagation;
	size_t started, count;
};

struct order_queue {
	struct loop *loop;
	struct notifier *notifier;
	struct poller *poller;
	struct announcer *announcer;
	struct order_list *first, **end;
	size_t waiting;			/* orders of all lists */
	bool due;			/* order_queue_start_some() is scheduled */
};

struct order_queue *order_queue_new(struct loop *loop, struct notifier *notifier,
                                    struct poller *poller, struct announcer *announcer)
{
	struct order_queue *queue = xcalloc(1, sizeof(*queue));

	queue->loop = loop;
	queue->notifier = notifier;
	queue->poller = poller;
	queue->announcer = announcer;
	queue->end = &queue->first;
	return queue;
}

static void order_list_free(struct order_list *list)
{
	json_decref(list->args);
	arena_free(&list->arena);
	free(list);
}

/* Drops the first list; its remaining orders are not started. */
static void order_queue_drop_first(struct order_queue *queue)
{
	struct order_list *list = queue->first;

	queue->first = list->next;
	if (!queue->first)
		queue->end = &queue->first;
	queue->waiting -= list->count - list->started;
	order_list_free(list);
}

void order_queue_free(struct order_queue **queue)
{
	struct order_queue *old = *queue;

	*queue = NULL;
	if (!old)
		return;
	while (old->first)
		order_queue_drop_first(old);
	loop_later_cancel(old->loop, old);
	free(old);
}

/* ---- orders ---- */

/* Order number I: each domain for all its servers, then the next domain. */
static struct poll_order order_list_at(const struct propagation *propagation, size_t i)
{
	struct poll_order order = propagation->terms;

	order.domain = propagation->domains.item[i / propagation->destination_count];
	order.destination = propagation->destinations[i % propagation->destination_count];
	return order;
}

static enum err order_queue_start_order(struct order_queue *queue,
                                        const struct poll_order *order, struct why *why)
{
	enum err err = OK;

	if (!order->quiet)
		err = notifier_order(queue->notifier, order, why);
	return err ? err : poller_order(queue->poller, order, why);
}

/* Faults of the list were reported when it came. */
static void order_queue_start_next(struct order_queue *queue)
{
	struct order_list *list = queue->first;
	struct poll_order order = order_list_at(&list->propagation, list->started);
	struct why why;

	list->started++;
	queue->waiting--;
	if (order_queue_start_order(queue, &order, &why) == ERR_BUSY) {
		log_warn("orders dropped: count=%zu reason=\"%s\"",
		         list->count - list->started + 1, why.text);
		order_queue_drop_first(queue);
	} else if (list->started == list->count) {
		order_queue_drop_first(queue);
	}
}

static void order_queue_start_some(void *self)
{
	struct order_queue *queue = self;

	queue->due = false;
	for (int i = 0; i < ORDERS_A_TURN && queue->first; i++)
		order_queue_start_next(queue);
	if (!queue->first)
		return;
	queue->due = true;
	loop_later(queue->loop, order_queue_start_some, queue);
}

void order_queue_hand_over(struct order_queue *queue, poller_take *take, void *self)
{
	struct order_list *list;

	while ((list = queue->first)) {
		for (size_t i = list->started; i < list->count; i++) {
			struct poll_order order = order_list_at(&list->propagation, i);

			take(self, &order);
		}
		order_queue_drop_first(queue);
	}
}

/* ---- lists ---- */

static enum err order_list_check_one(const struct propagation *propagation, size_t i,
                                     struct why *why)
{
	struct poll_order order = order_list_at(propagation, i);
	struct name zone, tsig_key;
	struct address server;

	return route_read(&order, &zone, &server, &tsig_key, why);
}

/* Checks all servers with the first domain, and all domains with the first server. */
static enum err order_list_check(const struct order_list *list, struct why *why)
{
	size_t servers = list->propagation.destination_count;
	enum err err = OK;

	for (size_t i = 0; i < servers && !err; i++)
		err = order_list_check_one(&list->propagation, i, why);
	for (size_t i = servers; i < list->count && !err; i += servers)
		err = order_list_check_one(&list->propagation, i, why);
	return err;
}

static void order_queue_append(struct order_queue *queue, struct order_list *list)
{
	*queue->end = list;
	queue->end = &list->next;
	queue->waiting += list->count;
	if (!queue->due)
		order_queue_start_some(queue);
}

static void order_queue_ignore_announced(void *self)
{
	(void)self;
}

static void order_queue_announce(struct order_queue *queue,
                                 const struct domain_refs *domains)
{
	struct name zone;
	struct why why;

	for (size_t i = 0; i < domains->count; i++) {
		struct edition edition = edition_of(&domains->item[i]);

		if (!name_parse(domains->item[i].name, "domain.name", &zone, &why))
			announcer_send(queue->announcer, &zone, &edition,
			               order_queue_ignore_announced, queue->announcer);
	}
}

enum err order_queue_add(struct order_queue *queue, const json_t *args, bool quiet,
                         struct why *why)
{
	struct order_list *list = xcalloc(1, sizeof(*list));
	enum err err;

	list->arena = arena_new();
	list->args = json_incref((json_t *)args);
	err = propagation_decode(list->args, list->arena, &list->propagation, why);
	list->propagation.terms.quiet = quiet;
	list->count = list->propagation.domains.count *
	              list->propagation.destination_count;
	if (!err && !poller_has_room(queue->poller, queue->waiting + list->count))
		err = fail(why, ERR_BUSY,
		           "too many polls are waiting for an answer: try again later");
	if (err || !list->count) {
		if (!err && !quiet)
			order_queue_announce(queue, &list->propagation.domains);
		order_list_free(list);
		return err;
	}
	err = order_list_check(list, why);
	order_queue_append(queue, list);
	return err;
}
