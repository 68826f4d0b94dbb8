#include "notifications.h"

#include "base/log.h"

static void notify(struct routes *routes, const char *event, json_t *payload)
{
	struct why why;

	if (rpc_notify(routes->runtime.rpc, event, payload, &why))
		log_warn("notification not sent: event=%s reason=\"%s\"", event,
		         why.text);
	json_decref(payload);
}

void peers_route(struct routes *routes, const struct route_news *news)
{
	log_info("%s: route=%s/%s id=%s router=%s dns=%s reason=\"%s\"", news->event,
	         news->namespace, news->name, news->id, news->router ? news->router : "-",
	         news->dns ? news->dns : "-", news->reason);
	notify(routes, news->event, json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s}",
		"id", news->id, "namespace", news->namespace, "name", news->name,
		"router", news->router, "dns", news->dns, "reason", news->reason));
}

void peers_zone_published(struct routes *routes, const struct router_row *router)
{
	log_info("router.zone.published: router=%s dns=%s serial=%u", router->name,
	         router->dns, router->serial);
	notify(routes, "router.zone.published", json_pack("{s:s, s:s, s:I}",
		"router", router->name, "dns", router->dns,
		"serial", (json_int_t)router->serial));
}
