#include "host_changes.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "consistency/store_hosts.h"

enum { IDS_MAX = 100 };			/* routes in one message */

struct changed_router {
	struct changed_router *next;
	const char *name;
	const char *ids[IDS_MAX];
	size_t count;
	bool is_any;
	uint64_t version;		/* of the hosts, after the change */
};

static struct changed_router *changed_router_get(struct host_changes *changes,
                                                 const char *name)
{
	struct changed_router **link = &changes->routers, *router;

	while (*link && strcmp((*link)->name, name) < 0)
		link = &(*link)->next;
	if (*link && !strcmp((*link)->name, name))
		return *link;
	router = arena_alloc(changes->arena, sizeof(*router));
	router->next = *link;
	router->name = name;
	*link = router;
	return router;
}

void host_changes_add(struct host_changes *changes, const char *name,
                      const char *route_id)
{
	struct changed_router *router = changed_router_get(changes, name);

	for (size_t i = 0; route_id && i < router->count; i++)
		if (!strcmp(router->ids[i], route_id))
			return;
	if (!route_id || router->count == IDS_MAX)
		router->is_any = true;
	else
		router->ids[router->count++] = route_id;
}

json_t *host_changes_routers(const struct host_changes *changes)
{
	json_t *names = json_array();

	for (const struct changed_router *at = changes->routers; at; at = at->next)
		json_array_append_new(names, json_string(at->name));
	return names;
}

void host_changes_write(struct host_changes *changes, struct tx *tx)
{
	for (struct changed_router *at = changes->routers; at && !tx->err; at = at->next)
		at->version = store_hosts_raise(tx, HOSTS_OF_ROUTER, at->name);
}

static json_t *changed_router_args(const struct changed_router *router)
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

static void changed_router_cast(const struct changed_router *router,
                                struct routes *routes)
{
	char topic[80];
	const struct rpc_target target = { .topic = topic, .fanout = true,
	                                   .agents = true };
	json_t *args = changed_router_args(router);
	struct why why;

	snprintf(topic, sizeof(topic), "routes.%s", router->name);
	if (rpc_cast(routes->runtime.rpc, &target, "routes_changed", args, NULL, &why))
		log_warn("changed routes not announced to the agents: router=%s "
		         "reason=\"%s\"",
		         router->name, why.text);
	json_decref(args);
}

void host_changes_cast(const struct host_changes *changes, struct routes *routes)
{
	for (const struct changed_router *at = changes->routers; at; at = at->next)
		changed_router_cast(at, routes);
}
