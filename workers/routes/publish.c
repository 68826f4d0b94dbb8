#include "publish_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "runtime/metrics.h"

enum { PUBLISH_AT_ONCE = 16 };		/* routers at the same time in a process */

static struct metric *publish_failures;

void publish_metrics(void)
{
	publish_failures = metric_new(METRIC_COUNTER, "routes_zone_failures_total",
	    "failed changes to the domains of routers. zonefleet-routes retries these "
	    "changes. The field 'reason' of the router says why a change "
	    "failed", NULL, NULL);
	publish_changes_metrics();
}

/* ---- one step ---- */

static void publish_add_former_name(void *self, const struct former_name *former)
{
	struct publication *publication = self;

	publication->former_names[publication->former_count++] = *former;
}

static void publish_add_kept_name(void *self, const struct former_name *former)
{
	struct publication *publication = self;

	publication->kept_names[publication->kept_count++] = *former;
}

/* A router whose domain is ACTIVE and that has nothing to send is due for its check. */
static void publish_read_kept(struct publication *publication, struct tx *tx)
{
	const struct router_row *router = &publication->router;
	struct arena *arena = publication->work.arena;

	publication->kept_count = 0;
	if (publication->former_count || router->state == ROUTER_GOING ||
	    router->done_rev != router->rev || router->zone_status != ZONE_ACTIVE)
		return;
	publication->kept_names =
	    arena_alloc(arena, FORMER_NAMES_MAX * sizeof(*publication->kept_names));
	store_former_names_kept(tx, arena, publication->name,
	                        &(struct former_name){
	                                .route_id = publication->kept_route,
	                                .dns = publication->kept_dns },
	                        FORMER_NAMES_MAX, publish_add_kept_name, publication);
}

static void publish_read(void *object, struct tx *tx)
{
	struct publication *publication = object;
	struct arena *arena = publication->work.arena;

	publication->former_count = 0;
	publication->former_names =
	    arena_alloc(arena, FORMER_NAMES_MAX * sizeof(*publication->former_names));
	publication->is_known = store_router_read(tx, arena, publication->name,
	                                          ROUTER_LOCK, &publication->router);
	if (!publication->is_known)
		return;
	publication->work.failures = publication->router.failures;
	store_former_names_set_needs(tx, publication->name);
	store_former_names_unsent(tx, arena, publication->name, FORMER_NAMES_MAX,
	                          ROUTES_PATIENCE_S, publish_add_former_name,
	                          publication);
	publish_read_kept(publication, tx);
}

static bool publish_is_sent(const struct publication *publication)
{
	return publication->router.done_rev == publication->router.rev &&
	       !publication->former_count &&
	       publication->router.zone_status == ZONE_PENDING;
}

static void publish_step(void *object)
{
	struct publication *publication = object;

	if (!publication->is_known) {
		work_end(publication);
		return;
	}
	json_decref(publication->zone);
	publication->zone = json_loads(publication->router.zone, 0, NULL);
	if (publication->router.state == ROUTER_GOING)
		publish_delete(publication);
	else if (publish_is_sent(publication))
		publish_check(publication);
	else
		publish_changes(publication);
}

static void publish_log_failure(const void *object, const char *reason)
{
	const struct publication *publication = object;

	metric_add(publish_failures, 1);
	log_warn("router's domain not updated: router=%s domain=%s reason=\"%s\"",
	         publication->name, publication->router.dns, reason);
}

static void publish_write_failure(void *object, struct tx *tx, const char *reason,
                                  int pause_ms)
{
	struct publication *publication = object;

	store_domain_failed(tx, &publication->router, reason, pause_ms);
}

static void publication_free(void *object)
{
	struct publication *publication = object;

	json_decref(publication->zone);
	free(publication->name);
	free(publication);
}

static const struct reconcile_kind publications = {
	.at_once = PUBLISH_AT_ONCE,
	.call_ms = 10 * 1000,
	.pause = { .first_ms = 500, .max_ms = 60 * 1000 },
	.read = publish_read,
	.step = publish_step,
	.log_failure = publish_log_failure,
	.write_failure = publish_write_failure,
	.free = publication_free,
};

/* ---- the start ---- */

void publish_now(struct routes *routes, const char *router)
{
	struct publication *publication;
	char lock[128];

	if (!reconciler_can_start(routes->publisher, router))
		return;
	publication = xcalloc(1, sizeof(*publication));
	publication->routes = routes;
	publication->name = xstrdup(router);
	snprintf(lock, sizeof(lock), "routes:%s", router);
	work_start(publication, routes->publisher, router, lock);
}

struct publish_due {
	char names[PUBLISH_AT_ONCE][ROUTE_LABEL_MAX + 1];
	size_t count;
};

static void publish_add_due(void *self, const char *name)
{
	struct publish_due *due = self;

	snprintf(due->names[due->count++], sizeof(due->names[0]), "%s", name);
}

void publish_fire(struct routes *routes)
{
	struct publish_due due = { .count = 0 };
	struct why why;
	struct tx tx = tx_autocommit(routes->runtime.db, &why);

	store_domains_due(&tx, NULL, PUBLISH_AT_ONCE, publish_add_due, &due);
	if (tx_commit(&tx)) {
		log_warn("cannot read which routers are due: reason=\"%s\"", why.text);
		return;
	}
	for (size_t i = 0; i < due.count; i++)
		publish_now(routes, due.names[i]);
}

struct reconciler *publish_new(struct routes *routes)
{
	return reconciler_new(&publications, &routes->runtime);
}
