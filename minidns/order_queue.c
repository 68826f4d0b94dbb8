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

/* A message, and how far it was taken up. */
struct list {
	struct list *next;
	struct arena *arena;
	json_t *args;			/* what the propagation points into */
	struct propagation propagation;
	size_t taken, count;
};

struct intake {
	struct loop *loop;
	struct notifier *notifier;
	struct poller *poller;
	struct announcer *announcer;
	struct list *first, **end;
	size_t waiting;			/* orders of all lists */
	bool due;			/* take_some() runs at the end of the turn */
};

struct intake *intake_new(struct loop *loop, struct notifier *notifier,
                          struct poller *poller, struct announcer *announcer)
{
	struct intake *intake = xcalloc(1, sizeof(*intake));

	intake->loop = loop;
	intake->notifier = notifier;
	intake->poller = poller;
	intake->announcer = announcer;
	intake->end = &intake->first;
	return intake;
}

static void list_free(struct list *list)
{
	json_decref(list->args);
	arena_free(&list->arena);
	free(list);
}

/* What is left of it is not taken up. */
static void drop_first(struct intake *intake)
{
	struct list *list = intake->first;

	intake->first = list->next;
	if (!intake->first)
		intake->end = &intake->first;
	intake->waiting -= list->count - list->taken;
	list_free(list);
}

void intake_free(struct intake **intake)
{
	struct intake *old = *intake;

	*intake = NULL;
	if (!old)
		return;
	while (old->first)
		drop_first(old);
	loop_later_cancel(old->loop, old);
	free(old);
}

/* ---- orders ---- */

/* Number I: each domain for all its servers, then the next one. */
static struct poll_order order_of(const struct propagation *propagation, size_t i)
{
	struct poll_order order = propagation->terms;

	order.domain = propagation->domains.item[i / propagation->destination_count];
	order.destination = propagation->destinations[i % propagation->destination_count];
	return order;
}

static enum err take_order(struct intake *intake, const struct poll_order *order,
                           struct why *why)
{
	enum err err = OK;

	if (!order->quiet)
		err = notifier_order(intake->notifier, order, why);
	return err ? err : poller_order(intake->poller, order, why);
}

/* What is wrong with an order was told when the list came. */
static void take_next(struct intake *intake)
{
	struct list *list = intake->first;
	struct poll_order order = order_of(&list->propagation, list->taken);
	struct why why;

	list->taken++;
	intake->waiting--;
	if (take_order(intake, &order, &why) == ERR_BUSY) {
		log_warn("orders not taken up: count=%zu why=\"%s\"",
		         list->count - list->taken + 1, why.text);
		drop_first(intake);
	} else if (list->taken == list->count) {
		drop_first(intake);
	}
}

static void take_some(void *self)
{
	struct intake *intake = self;

	intake->due = false;
	for (int i = 0; i < ORDERS_A_TURN && intake->first; i++)
		take_next(intake);
	if (!intake->first)
		return;
	intake->due = true;
	loop_later(intake->loop, take_some, intake);
}

/* ---- lists ---- */

static enum err check_order(const struct propagation *propagation, size_t i,
                            struct why *why)
{
	struct poll_order order = order_of(propagation, i);
	struct name zone, tsig_key;
	struct address server;

	return route_read(&order, &zone, &server, &tsig_key, why);
}

/* All servers with the first domain, and all domains with the first server. */
static enum err check(const struct list *list, struct why *why)
{
	size_t servers = list->propagation.destination_count;
	enum err err = OK;

	for (size_t i = 0; i < servers && !err; i++)
		err = check_order(&list->propagation, i, why);
	for (size_t i = servers; i < list->count && !err; i += servers)
		err = check_order(&list->propagation, i, why);
	return err;
}

static void enqueue(struct intake *intake, struct list *list)
{
	*intake->end = list;
	intake->end = &list->next;
	intake->waiting += list->count;
	if (!intake->due)
		take_some(intake);
}

static void ignore_announced(void *self)
{
	(void)self;
}

static void intake_announce(struct intake *intake, const struct domain_refs *domains)
{
	struct name zone;
	struct why why;

	for (size_t i = 0; i < domains->count; i++) {
		struct edition edition = edition_of(&domains->item[i]);

		if (!name_parse(domains->item[i].name, "domain.name", &zone, &why))
			announcer_send(intake->announcer, &zone, &edition,
			               ignore_announced, intake->announcer);
	}
}

enum err intake_take(struct intake *intake, const json_t *args, bool quiet,
                     struct why *why)
{
	struct list *list = xcalloc(1, sizeof(*list));
	enum err err;

	list->arena = arena_new();
	list->args = json_incref((json_t *)args);
	err = propagation_decode(list->args, list->arena, &list->propagation, why);
	list->propagation.terms.quiet = quiet;
	list->count = list->propagation.domains.count *
	              list->propagation.destination_count;
	if (!err && !poller_has_room(intake->poller, intake->waiting + list->count))
		err = fail(why, ERR_BUSY, "too many polls are out already");
	if (err || !list->count) {
		if (!err && !quiet)
			intake_announce(intake, &list->propagation.domains);
		list_free(list);
		return err;
	}
	err = check(list, why);
	enqueue(intake, list);
	return err;
}
