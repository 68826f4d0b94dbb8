#include "host_changes.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "consistency/store_hosts.h"

enum { IDS_MAX = 100 };			/* of a message; if more are others, any may be */

struct news_router {
	struct news_router *next;
	const char *name;
	const char *ids[IDS_MAX];
	size_t count;
	bool is_any;
	uint64_t version;		/* of its hosts, from now on */
};

static struct news_router *find(struct hosts_news *news, const char *name)
{
	struct news_router **link = &news->routers, *router;

	while (*link && strcmp((*link)->name, name) < 0)
		link = &(*link)->next;
	if (*link && !strcmp((*link)->name, name))
		return *link;
	router = arena_alloc(news->arena, sizeof(*router));
	router->next = *link;
	router->name = name;
	*link = router;
	return router;
}

void hosts_news_add(struct hosts_news *news, const char *name, const char *route_id)
{
	struct news_router *router = find(news, name);

	for (size_t i = 0; route_id && i < router->count; i++)
		if (!strcmp(router->ids[i], route_id))
			return;
	if (!route_id || router->count == IDS_MAX)
		router->is_any = true;
	else
		router->ids[router->count++] = route_id;
}

json_t *hosts_news_routers(const struct hosts_news *news)
{
	json_t *names = json_array();

	for (const struct news_router *at = news->routers; at; at = at->next)
		json_array_append_new(names, json_string(at->name));
	return names;
}

void hosts_news_raise(struct hosts_news *news, struct tx *tx)
{
	for (struct news_router *at = news->routers; at && !tx->err; at = at->next)
		at->version = store_hosts_raise(tx, HOSTS_OF_ROUTER, at->name);
}

static json_t *arguments(const struct news_router *router)
{
	json_t *args = json_pack("{s:s, s:I}", "router", router->name, "version",
	                         (json_int_t)router->version);
	json_t *ids = json_array();

	for (size_t i = 0; i < router->count; i++)
		json_array_append_new(ids, json_string(router->ids[i]));
	if (!router->is_any)
		json_object_set(args, "routes", ids);
	json_decref(ids);
	return args;
}

static void tell(const struct news_router *router, struct routes *routes)
{
	char topic[80];
	const struct rpc_target target = { .topic = topic, .fanout = true,
	                                   .agents = true };
	json_t *args = arguments(router);
	struct why why;

	snprintf(topic, sizeof(topic), "routes.%s", router->name);
	if (rpc_cast(routes->runtime.rpc, &target, "routes_changed", args, NULL, &why))
		log_warn("router not told: router=%s reason=\"%s\"", router->name,
		         why.text);
	json_decref(args);
}

void hosts_news_tell(const struct hosts_news *news, struct routes *routes)
{
	for (const struct news_router *at = news->routers; at; at = at->next)
		tell(at, routes);
}
