#include "backends.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "core/route_backend.h"

enum { PAGE = 1000, TOLD_MAX = 20 };	/* routes of a turn; lines of the log */

struct backends_look {
	struct routes *routes;
	char marker[ID_LEN + 1];
	size_t page;
	int64_t found;
	bool is_over;
};

bool backends_allow(const struct routes *routes, const struct route_row *route)
{
	char own[BACKEND_MAX + 1];

	backend_default(route->namespace, route->name, own);
	return !strcmp(route->backend, own) ||
	       backend_matches(routes->settings.backend_pattern, route->namespace,
	                       route->project_id, route->backend);
}

static void take_route(void *self, const struct route_row *route)
{
	struct backends_look *look = self;

	look->page++;
	memcpy(look->marker, route->id, sizeof(look->marker));
	if (backends_allow(look->routes, route) || look->found++ >= TOLD_MAX)
		return;
	log_warn("route keeps a backend that a tenant may not name: route=%s/%s "
	         "reason=\"it does not match routes.backend_pattern\"",
	         route->namespace, route->name);
}

void backends_fire(struct backends_look *look)
{
	const struct route_filter filter = { .marker = look->marker, .limit = PAGE };
	struct arena *arena;
	struct why why;

	if (look->is_over)
		return;
	arena = arena_new();
	struct tx tx = tx_autocommit(look->routes->runtime.db, &why);

	look->page = 0;
	store_routes(&tx, arena, &filter, take_route, look);
	look->is_over = !tx_commit(&tx) && look->page < PAGE;
	if (look->is_over && look->found)
		log_warn("routes keep backends that tenants may not name: routes=%" PRId64,
		         look->found);
	arena_free(&arena);
}

struct backends_look *backends_new(struct routes *routes)
{
	struct backends_look *look = xcalloc(1, sizeof(*look));

	look->routes = routes;
	return look;
}

void backends_free(struct backends_look **look)
{
	free(*look);
	*look = NULL;
}
