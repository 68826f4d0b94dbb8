#include "notifier.h"

#include <stdlib.h>

#include "announcer.h"
#include "base/id.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "dns_request.h"
#include "minidns.h"
#include "model/serial.h"
#include "route.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"

enum {
	MAX_ROUTES = 200000,
	/* between two NOTIFYs; doubles while a burst lasts */
	FIRST_GAP_MS = 10,
	MAX_GAP_MS = 200,
};

/*
 * A zone and a server of it. Its states: `announcing` (not all instances know the change
 * yet), `asking` (a NOTIFY is out), `silent` (until the next try), `quiet` (answered; the
 * pause before the next NOTIFY runs). Then it is freed.
 */
struct route {
	struct notifier *notifier;
	struct route_key key;
	struct name zone;
	struct address server;
	struct name tsig_key;
	enum { ANNOUNCING, ASKING, SILENT, QUIET } state;
	struct dns_request *request;
	struct loop_timer *timer;
	uint32_t serial;		/* the newest ordered serial */
	/* another order came after the current or last NOTIFY */
	bool ordered;
	struct announcement *announcement;	/* NULL: no announcement runs */
	bool announced;			/* all instances know the change */
	int timeout_ms, retry_interval_ms, max_retries;
	int tries, gap_ms;
};

struct notifier {
	struct loop *loop;
	struct notifier_config config;
	struct map *routes;
};

struct notifier *notifier_new(struct loop *loop, const struct notifier_config *config)
{
	struct notifier *notifier = xcalloc(1, sizeof(*notifier));

	notifier->loop = loop;
	notifier->config = *config;
	notifier->routes = map_new(random_u32());
	return notifier;
}

static void route_free(struct route *route)
{
	map_remove(route->notifier->routes, route->key.octets, route->key.len);
	dns_request_cancel(&route->request);
	announcer_cancel(route->notifier->config.announcer, &route->announcement);
	loop_timer_free(&route->timer);
	free(route);
}

void notifier_free(struct notifier **notifier)
{
	struct notifier *old = *notifier;
	struct route *route;

	*notifier = NULL;
	if (!old)
		return;
	while ((route = map_any(old->routes)))
		route_free(route);
	map_free(&old->routes);
	free(old);
}

/* ---- a NOTIFY and its answer ---- */

static void notifier_on_answer(void *self, const struct response *response);

static void notifier_send_notify(struct route *route)
{
	struct dns_request_want want = {
		.opcode = OPCODE_NOTIFY,
		.zone = route->zone,
		.server = route->server,
		.tsig_key = route->tsig_key,
		.timeout_ms = route->timeout_ms,
		.tcp = route->tries % 2,	/* TCP may work where UDP fails */
	};

	route->state = ASKING;
	route->ordered &= !route->announced;
	metric_add(route->notifier->config.figures->notifies, 1);
	route->request =
	    dns_request_start(route->notifier->config.requests, &want, notifier_on_answer,
	                      route);
}

static void notifier_log_outcome(const struct route *route, const char *outcome)
{
	char zone[NAME_MAX_TEXT + 1], server[ADDRESS_TEXT];

	name_format(&route->zone, zone);
	address_format(&route->server, server);
	log_warn("notify failed: domain=%s serial=%u server=%s port=%u reason=\"%s\"",
	         zone,
	         route->serial, server, route->server.port, outcome);
}

static void notifier_retry_or_give_up(struct route *route, const char *fault)
{
	if (++route->tries >= route->max_retries) {
		metric_add(route->notifier->config.figures->notifies_unanswered, 1);
		notifier_log_outcome(route, fault);
		route_free(route);
		return;
	}
	route->state = SILENT;
	loop_timer_set(route->timer, route->retry_interval_ms);
}

/* An error is only logged: the poll finds out which serial the server has. */
static void notifier_on_answer(void *self, const struct response *response)
{
	struct route *route = self;
	struct notifier *notifier = route->notifier;

	route->request = NULL;
	if (!response || response->kind == RESPONSE_UNASKED) {
		notifier_retry_or_give_up(route,
		                          response ? response->fault : "no answer");
		return;
	}
	if (response->kind != RESPONSE_SERIAL)
		notifier_log_outcome(route,
		                     response->fault ? response->fault
		                                     : rcode_name(response->rcode));
	route->state = QUIET;
	route->tries = 0;
	loop_timer_set(route->timer, route->gap_ms);
	notifier->config.answered(notifier->config.self, &route->zone, &route->server);
}

static void notifier_on_timer(void *self)
{
	struct route *route = self;

	if (route->state == QUIET && !route->ordered) {
		route_free(route);
		return;
	}
	if (route->state == QUIET)
		route->gap_ms =
		    route->gap_ms < MAX_GAP_MS / 2 ? 2 * route->gap_ms : MAX_GAP_MS;
	if (route->state == QUIET && !route->announced)
		route->state = ANNOUNCING;
	else
		notifier_send_notify(route);
}

/* ---- orders ---- */

static void notifier_on_announced(void *self)
{
	struct route *route = self;

	route->announcement = NULL;
	route->announced = true;
	if (route->state == ANNOUNCING)
		notifier_send_notify(route);
}

static void notifier_set_order(struct route *route, const struct notify_order *order)
{
	route->tsig_key = order->tsig_key;
	route->serial = order->edition.serial;
	route->ordered = true;
	route->timeout_ms = order->timeout_ms;
	route->retry_interval_ms = order->retry_interval_ms;
	route->max_retries = order->max_retries;
	route->announced = false;
	announcer_cancel(route->notifier->config.announcer, &route->announcement);
	route->announcement = announcer_send(route->notifier->config.announcer,
	                                     &route->zone, &order->edition,
	                                     notifier_on_announced, route);
}

static struct route *route_new(struct notifier *notifier,
                               const struct notify_order *order,
                               const struct route_key *key)
{
	struct route *route = xcalloc(1, sizeof(*route));

	route->notifier = notifier;
	route->key = *key;
	route->zone = order->zone;
	route->server = order->server;
	route->gap_ms = FIRST_GAP_MS;
	route->timer = loop_timer_new(notifier->loop, notifier_on_timer, route);
	map_put(notifier->routes, key->octets, key->len, route);
	return route;
}

enum err notifier_send(struct notifier *notifier, const struct notify_order *order,
                       struct why *why)
{
	struct route_key key;
	struct route *route;

	route_key(&order->zone, &order->server, &key);
	route = map_get(notifier->routes, key.octets, key.len);
	if (route) {
		if (serial_newer(order->edition.serial, route->serial))
			notifier_set_order(route, order);
		return OK;
	}
	if (map_count(notifier->routes) >= MAX_ROUTES)
		return fail(why, ERR_BUSY, "too many NOTIFY messages are waiting for an "
		            "answer (at most %d may wait): try again later",
		            MAX_ROUTES);
	route = route_new(notifier, order, &key);
	route->state = ANNOUNCING;
	notifier_set_order(route, order);
	return OK;
}

enum err notifier_order(struct notifier *notifier, const struct poll_order *order,
                        struct why *why)
{
	struct notify_order own = {
		.edition = edition_of(&order->domain),
		.timeout_ms = order->timeout_ms,
		.retry_interval_ms = order->retry_interval_ms,
		.max_retries = order->max_retries,
	};
	enum err err = route_read(order, &own.zone, &own.server, &own.tsig_key, why);

	return err ? err : notifier_send(notifier, &own, why);
}

bool notifier_is_out(const struct notifier *notifier, const struct name *zone,
                     const struct address *server)
{
	struct route_key key;
	const struct route *route;

	route_key(zone, server, &key);
	route = map_get(notifier->routes, key.octets, key.len);
	return route && (route->state == ANNOUNCING || route->state == ASKING);
}
