#include "service.h"

#include "announcer.h"
#include "base/clock.h"
#include "compare_queue.h"
#include "core/retransfers.h"
#include "core/soa_cache.h"
#include "dns/address.h"
#include "model/json.h"
#include "model/messages.h"
#include "model/name.h"
#include "notifier.h"
#include "order_queue.h"
#include "poller.h"
#include "server_checker.h"

enum { ADDRESS_MAX = 64 };

static enum err service_on_notify_zone_changed(void *self, struct request *req)
{
	const struct service *service = self;
	struct poll_order order;
	enum err err = poll_order_decode(req->args, &order, &req->why);

	return err ? err : notifier_order(service->notifier, &order, &req->why);
}

static void service_ignore_announced(void *self)
{
	(void)self;
}

/* A deletion is announced without a NOTIFY, because all instances must drop the zone. */
static void service_announce_deletion(const struct service *service,
                                      const struct poll_order *order)
{
	struct edition edition = edition_of(&order->domain);
	struct name zone;
	struct why why;

	if (!name_parse(order->domain.name, "domain.name", &zone, &why))
		announcer_send(service->announcer, &zone, &edition,
		               service_ignore_announced, service->announcer);
}

static enum err service_on_poll_for_serial_number(void *self, struct request *req)
{
	const struct service *service = self;
	struct poll_order order;
	enum err err = poll_order_decode(req->args, &order, &req->why);

	if (!err)
		err = poller_order(service->poller, &order, &req->why);
	if (!err && order.domain.state.task == TASK_DELETE)
		service_announce_deletion(service, &order);
	return err;
}

/* NOTIFY and poll in one message for many domains and servers. */
static enum err service_on_propagate_zones(void *self, struct request *req)
{
	const struct service *service = self;

	return order_queue_add(service->orders, req->args, false, &req->why);
}

/* The pool manager checks its servers: it gets a report only for those that differ. */
static enum err service_on_poll_zones(void *self, struct request *req)
{
	const struct service *service = self;

	return order_queue_add(service->orders, req->args, true, &req->why);
}

/* The same comparison for the records under each serial. */
static enum err service_on_compare_zones(void *self, struct request *req)
{
	const struct service *service = self;

	return compare_queue_add(service->compare_queue, req->args, &req->why);
}

/*
 * A call, so that the order expires if no mini-DNS is running, and an older mini-DNS
 * answers that it does not have the method.
 */
static enum err service_on_check_servers(void *self, struct request *req)
{
	const struct service *service = self;

	return server_checker_start(service->checker, req->args, &req->why);
}

/* A zone on a server: what a fanout of another process is about. */
struct ended {
	struct name zone;
	struct address peer;
	uint32_t serial;
};

static enum err ended_decode_route(const json_t *args, struct ended *ended,
                                   struct why *why)
{
	const char *name, *address;
	enum err err =
	    json_get_text(args, "name", JSON_REQUIRED, NAME_MAX_TEXT, &name, why);

	if (!err)
		err = name_parse(name, "name", &ended->zone, why);
	if (!err)
		err = json_get_text(args, "address", JSON_REQUIRED, ADDRESS_MAX, &address,
		                    why);
	if (!err && !address_parse(address, 0, &ended->peer))
		return fail(why, ERR_INVALID, "address: must be an IPv4 or IPv6 address, "
		            "not '%s'", address);
	return err;
}

static enum err ended_decode(const json_t *args, struct ended *ended, struct why *why)
{
	enum err err = ended_decode_route(args, ended, why);

	return err ? err : json_get_u32(args, "serial", JSON_REQUIRED, UINT32_MAX,
	                                &ended->serial, why);
}

static enum err service_on_transfer_ended(void *self, struct request *req)
{
	const struct service *service = self;
	struct ended ended;
	enum err err = ended_decode(req->args, &ended, &req->why);

	if (!err)
		poller_transfer_ended(service->poller, &ended.zone, &ended.peer,
		                      &ended.serial);
	return err;
}

static enum err service_on_zone_differs(void *self, struct request *req)
{
	const struct service *service = self;
	struct ended route;
	enum err err = ended_decode_route(req->args, &route, &req->why);

	if (!err)
		retransfers_watch(service->retransfers, &route.zone, &route.peer,
		                  clock_ms());
	return err;
}

static enum err service_on_zone_transferred(void *self, struct request *req)
{
	const struct service *service = self;
	struct ended ended;
	char id[ID_LEN + 1];
	enum err err = ended_decode(req->args, &ended, &req->why);

	if (!err)
		err = json_get_id(req->args, "transfer", JSON_REQUIRED, id, &req->why);
	if (!err)
		retransfers_count(service->retransfers, &ended.zone, &ended.peer,
		                  ended.serial, id);
	return err;
}

static enum err service_on_news(void *self, struct request *req)
{
	const struct service *service = self;

	return announcer_receive(service->announcer, req->args, &req->why);
}

#define TERMS "timeout retry_interval max_retries"

const struct rpc_method service_methods[] = {
	{ "notify_zone_changed",    service_on_notify_zone_changed,
	  "domain destination " TERMS, .fleet = true },
	{ "poll_for_serial_number", service_on_poll_for_serial_number,
	  "domain destination " TERMS, .fleet = true },
	{ "propagate_zones",        service_on_propagate_zones,
	  "domains destinations " TERMS, .fleet = true },
	{ "poll_zones",             service_on_poll_zones,
	  "domains destinations " TERMS, .fleet = true },
	{ "compare_zones",          service_on_compare_zones,
	  "domains destinations " TERMS " tell_equal?", .fleet = true },
	{ "check_servers",          service_on_check_servers,
	  "pool servers timeout", .fleet = true },
	{ "transfer_ended",         service_on_transfer_ended,
	  "name address serial", .fleet = true },
	{ "zone_differs",           service_on_zone_differs,
	  "name address", .fleet = true },
	{ "zone_transferred",       service_on_zone_transferred,
	  "name address serial transfer", .fleet = true },
	{ "news",                   service_on_news,
	  "from number zones heard", .fleet = true },
	{ 0 }
};
