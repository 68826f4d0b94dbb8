#include "backend_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "core/route_backend.h"

enum { PAGE = 1000, LOGGED_MAX = 20 };	/* routes in a turn; log lines */

struct backend_check {
	struct routes *routes;
	char marker[ID_LEN + 1];
	size_t page;
	int64_t found;
	bool is_over;
};

bool backend_check_allows(const struct routes *routes, const struct route_row *route)
{
	char own[BACKEND_MAX + 1];

	route_backend_default(route->namespace, route->name, own);
	return !strcmp(route->backend, own) ||
	       route_backend_matches(routes->settings.backend_pattern, route->namespace,
	                             route->project_id, route->backend);
}

static void backend_check_route(void *self, const struct route_row *route)
{
	struct backend_check *check = self;

	check->page++;
	memcpy(check->marker, route->id, sizeof(check->marker));
	if (backend_check_allows(check->routes, route) || check->found++ >= LOGGED_MAX)
		return;
	log_warn("route has a forbidden backend: route=%s/%s backend=%s reason=\"the "
	         "backend does not match routes.backend_pattern\"",
	         route->namespace, route->name, route->backend);
}

void backend_check_fire(struct backend_check *check)
{
	const struct route_filter filter = { .marker = check->marker, .limit = PAGE };
	struct arena *arena;
	struct why why;

	if (check->is_over)
		return;
	arena = arena_new();
	struct tx tx = tx_autocommit(check->routes->runtime.db, &why);

	check->page = 0;
	store_routes(&tx, arena, &filter, backend_check_route, check);
	check->is_over = !tx_commit(&tx) && check->page < PAGE;
	if (check->is_over && check->found)
		log_warn("routes have forbidden backends: routes=%" PRId64, check->found);
	arena_free(&arena);
}

struct backend_check *backend_check_new(struct routes *routes)
{
	struct backend_check *check = xcalloc(1, sizeof(*check));

	check->routes = routes;
	return check;
}

void backend_check_free(struct backend_check **check)
{
	free(*check);
	*check = NULL;
}
