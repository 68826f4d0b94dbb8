#include "watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "publish.h"
#include "runtime/rpc.h"
#include "store.h"

enum {
	AT_ONCE = 64,			/* domains of a turn, asked for one after another */
	CALL_MS = 10 * 1000,
};

struct watch {
	struct ports *ports;
	struct arena *arena;
	struct watched_zone zones[AT_ONCE];
	size_t count, at;
	bool is_asking;
};

static void take(void *self, const struct watched_zone *zone)
{
	struct watch *watch = self;

	watch->zones[watch->count++] = *zone;
}

static enum err read_zones(void *self, struct why *why)
{
	struct watch *watch = self;
	struct tx tx = tx_autocommit(watch->ports->runtime.db, why);

	arena_reset(watch->arena);
	watch->count = watch->at = 0;
	store_zones_watched(&tx, watch->arena, watch->ports->settings.retry_ms, AT_ONCE, take,
	                    watch);
	return tx_commit(&tx);
}

/* ID "": there is none. */
struct finding {
	struct watch *watch;
	const struct watched_zone *zone;
	const char *id;
};

static bool is_lost(const struct finding *finding)
{
	const char *was = finding->zone->domain_id;

	return !*finding->id || (*was && strcmp(finding->id, was));
}

static enum err write_finding(void *self, struct why *why)
{
	const struct finding *finding = self;
	const struct zone_key key = { .zone = finding->zone->zone, .project_id = "" };
	struct tx tx = tx_begin(finding->watch->ports->runtime.db, why);

	store_zone_known(&tx, key.zone, finding->id);
	if (is_lost(finding))
		store_zone_lost_all(&tx, &key);
	return tx_commit(&tx);
}

static void find(struct watch *watch, const struct watched_zone *zone, const char *id)
{
	struct finding finding = { watch, zone, id };
	struct why why;

	if (tx_retry_on_loop(write_finding, &finding, &why))
		log_warn("domain not looked after: domain=%s reason=\"%s\"", zone->zone,
		         why.text);
	else if (is_lost(&finding))
		log_warn("domain is gone, or another one: domain=%s was=%s is=%s", zone->zone,
		         zone->domain_id, id);
}

static void ask_next(struct watch *watch);

static void hear_domain(void *self, const struct rpc_answer *answer)
{
	struct watch *watch = self;
	const struct watched_zone *zone = &watch->zones[watch->at];
	const char *id = json_string_value(json_object_get(answer->result, "id"));

	watch->is_asking = false;
	if (answer->err && answer->err != ERR_NOT_FOUND)
		return;				/* the next turn asks again */
	watch->at++;
	find(watch, zone, !answer->err && id ? id : "");
	ask_next(watch);
}

static void ask_next(struct watch *watch)
{
	const struct rpc_target central = { .topic = "central" };
	json_t *args;
	struct why why;

	if (watch->at == watch->count)
		return;
	args = json_pack("{s:s}", "domain", watch->zones[watch->at].zone);
	watch->is_asking = !rpc_call(watch->ports->runtime.rpc, &central, "get_domain", args,
	                             NULL, CALL_MS, hear_domain, watch, &why);
	if (!watch->is_asking)			/* the next turn asks again */
		log_warn("domain not looked after: domain=%s reason=\"%s\"",
		         watch->zones[watch->at].zone, why.text);
	json_decref(args);
}

void watch_fire(struct watch *watch)
{
	struct why why;

	if (watch->is_asking)
		return;
	if (watch->at == watch->count && tx_retry_on_loop(read_zones, watch, &why)) {
		log_warn("domains not looked after: reason=\"%s\"", why.text);
		watch->count = 0;
		return;
	}
	ask_next(watch);
}

struct watch *watch_new(struct ports *ports)
{
	struct watch *watch = xcalloc(1, sizeof(*watch));

	watch->ports = ports;
	watch->arena = arena_new();
	return watch;
}

void watch_free(struct watch **watch)
{
	if (!*watch)
		return;
	rpc_cancel((*watch)->ports->runtime.rpc, *watch);
	arena_free(&(*watch)->arena);
	free(*watch);
	*watch = NULL;
}
