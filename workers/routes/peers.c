#include "peers.h"

#include <stdio.h>

#include "base/log.h"

void peers_routes_changed(struct routes *routes, const char *router,
                          const char *const *ids, size_t count)
{
	char topic[80], request_id[ID_LEN + 1];
	const struct rpc_target target = { .topic = topic, .fanout = true };
	json_t *args = json_pack("{s:s}", "router", router), *list = json_array(), *context;
	struct why why;

	snprintf(topic, sizeof(topic), "routes.%s", router);
	for (size_t i = 0; i < count && i < ROUTES_CHANGED_MAX; i++)
		json_array_append_new(list, json_string(ids[i]));
	if (count && count <= ROUTES_CHANGED_MAX)
		json_object_set(args, "routes", list);
	id_random(request_id);
	context = context_encode(request_id, true);
	if (rpc_cast(routes->runtime.rpc, &target, "routes_changed", args, context, &why))
		log_warn("router not told: router=%s reason=\"%s\"", router, why.text);
	json_decref(list);
	json_decref(args);
	json_decref(context);
}

static void notify(struct routes *routes, const char *event, json_t *payload)
{
	struct why why;

	if (rpc_notify(routes->runtime.rpc, event, payload, &why))
		log_warn("notification not sent: event=%s reason=\"%s\"", event, why.text);
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
