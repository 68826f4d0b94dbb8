#include "notifications.h"

#include "base/log.h"

static void notification_send(struct routes *routes, const char *event, json_t *payload)
{
	struct why why;

	if (rpc_notify(routes->runtime.rpc, event, payload, &why))
		log_warn("notification not sent: event=%s reason=\"%s\"", event,
		         why.text);
	json_decref(payload);
}

void notifications_send_route(struct routes *routes, const struct route_event *event)
{
	log_info("%s: route=%s/%s id=%s router=%s dns=%s reason=\"%s\"", event->event,
	         event->namespace, event->name, event->id,
	         event->router ? event->router : "-",
	         event->dns ? event->dns : "-", event->reason);
	notification_send(routes, event->event, json_pack(
		"{s:s, s:s, s:s, s:s?, s:s?, s:s}",
		"id", event->id, "namespace", event->namespace, "name", event->name,
		"router", event->router, "dns", event->dns, "reason", event->reason));
}

void notifications_send_zone_published(struct routes *routes,
                                       const struct router_row *router)
{
	log_info("router.zone.published: router=%s dns=%s serial=%u", router->name,
	         router->dns, router->serial);
	notification_send(routes, "router.zone.published", json_pack("{s:s, s:s, s:I}",
		"router", router->name, "dns", router->dns,
		"serial", (json_int_t)router->serial));
}
