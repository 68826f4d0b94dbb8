#include "reasons.h"

#include <string.h>

#include "base/clock.h"
#include "consistency/heartbeat.h"
#include "store_fleet.h"
#include "store_limits.h"
#include "store_reason.h"

enum { REASON_SETS_MAX = 5000 };

static struct living_services *reasons_read_services(struct tx *tx, struct arena *arena)
{
	struct living_services *services = arena_alloc(arena, sizeof(*services));

	store_fleet_services(tx, heartbeat_config.timeout_ms, arena, services);
	return services;
}

/* SERVERS may be NULL. */
static struct reason_view reasons_view(struct arena *arena, const struct zone *zone,
                                       const struct living_services *services,
                                       const struct reason_servers *servers)
{
	const char *topic = arena_printf(arena, "pool_manager.%s", zone->pool);

	return (struct reason_view){
		.state = zone->is.state, .pool = zone->pool,
		.is_catalog = zone->is.is_catalog, .stored = zone->reason,
		.has_poolmgr = living_services_has(services, topic),
		.has_minidns = living_services_has(services, "minidns"),
		.is_out_of_service = living_services_lack_server(services, zone->pool),
		.servers = servers ? servers->item : NULL,
		.count = servers ? servers->count : 0,
	};
}

static void reasons_set_one(struct arena *arena, struct zone *zone,
                            const struct living_services *services,
                            const struct reason_servers *servers)
{
	struct reason_view view = reasons_view(arena, zone, services, servers);

	zone->reason = reason_now(&view, arena);
}

static const struct reason_servers *reasons_find(const struct reason_servers *servers,
                                                 size_t count, const char *domain_id)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(servers[i].domain_id, domain_id))
			return &servers[i];
	return NULL;
}

/* COUNT: 1 to TX_LIST_MAX. All domains are due. */
static void reasons_set_some(struct tx *tx, struct arena *arena,
                             const struct living_services *services,
                             struct zone *const *zones, size_t count)
{
	struct reason_servers *servers = arena_alloc(arena, count * sizeof(*servers));
	const char *ids[TX_LIST_MAX];
	size_t found;

	for (size_t i = 0; i < count; i++)
		ids[i] = zones[i]->is.id;
	found = store_reason_servers(tx, arena, ids, count, servers);
	for (size_t i = 0; i < count; i++)
		reasons_set_one(arena, zones[i], services,
		                reasons_find(servers, found, ids[i]));
}

void reasons_set(struct tx *tx, struct arena *arena, struct zone *const *zones,
                 size_t count)
{
	struct zone **due = arena_alloc(arena, (count + 1) * sizeof(*due));
	const struct living_services *services;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (reason_is_due(&zones[i]->is.state))
			due[n++] = zones[i];
	if (!n)
		return;
	services = reasons_read_services(tx, arena);
	for (size_t at = 0; at < n && !tx->err; at += TX_LIST_MAX)
		reasons_set_some(tx, arena, services, due + at,
		                 n - at < TX_LIST_MAX ? n - at : TX_LIST_MAX);
}

/* Only for the event loop. */
static struct {
	struct arena *arena;
	struct living_services *services;
	int64_t read_ms;
} known;

static void reasons_keep_services(struct tx *tx)
{
	struct arena *arena = arena_new();
	struct living_services *services = reasons_read_services(tx, arena);

	if (tx->err) {
		arena_free(&arena);
		return;
	}
	if (known.arena)
		arena_free(&known.arena);
	known.arena = arena;
	known.services = services;
	known.read_ms = clock_ms();
}

static const char *reasons_known_missing(struct arena *arena, const char *pool)
{
	const struct zone zone = { .pool = pool, .reason = "",
	                           .is.state = { TASK_UPDATE, STATUS_PENDING, 0 } };
	const char *text;

	if (!known.services)
		return NULL;
	struct reason_view view = reasons_view(arena, &zone, known.services, NULL);

	text = reason_now(&view, arena);
	return *text ? text : NULL;
}

const char *reasons_missing_worker(struct tx *tx, struct arena *arena, const char *pool)
{
	const char *missing = reasons_known_missing(arena, pool);
	int64_t age_ms = clock_ms() - known.read_ms;

	if (known.services && age_ms < (missing ? MISSING_AGE_MS : WORKERS_AGE_MS))
		return missing;
	reasons_keep_services(tx);
	return reasons_known_missing(arena, pool);
}

/* ---- the record that a server does not take ---- */

static const struct limits_found *reasons_find_limits(struct tx *tx, struct arena *arena,
                                                      const struct zone *zone)
{
	const char *names[LIMIT_NAMES_MAX];
	size_t count = store_limit_names(tx, zone, REASON_SETS_MAX, arena, names);
	struct rrsets sets;

	if (!count)
		return NULL;
	rrsets_init(&sets, arena);
	store_recordset_read(tx, zone->is.id, names, count, &sets);
	return limits_find_rows(&sets);
}

const struct limits_found *reasons_explain(struct tx *tx, struct arena *arena,
                                           struct zone *zone)
{
	const char *id = zone->is.id;
	struct reason_servers servers = { id, NULL, 0 };
	struct reason_view view;

	if (!reason_is_due(&zone->is.state))
		return NULL;
	store_reason_servers(tx, arena, &id, 1, &servers);
	view = reasons_view(arena, zone, reasons_read_services(tx, arena), &servers);
	if (!tx->err && reason_may_be_limit(&view))
		view.limits = reasons_find_limits(tx, arena, zone);
	zone->reason = reason_now(&view, arena);
	return view.limits;
}
