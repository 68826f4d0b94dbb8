#include "domain_watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "consistency/membership.h"
#include "publish.h"
#include "runtime/rpc.h"
#include "store.h"

enum {
	BATCH = 64,			/* domains that one timer call reads */
	CALL_MS = 10 * 1000,
};

struct domain_watch {
	struct ports *ports;
	struct arena *arena;
	struct share share;
	struct watched_zone zones[BATCH];
	size_t count, next;
	bool is_asking;
};

static void domain_watch_add(void *self, const struct watched_zone *zone)
{
	struct domain_watch *watch = self;

	watch->zones[watch->count++] = *zone;
}

static enum err domain_watch_read(void *self, struct why *why)
{
	struct domain_watch *watch = self;
	struct tx tx = tx_autocommit(watch->ports->runtime.db, why);

	arena_reset(watch->arena);
	watch->count = watch->next = 0;
	store_zones_watched(&tx, watch->arena, &watch->share,
	                    watch->ports->settings.check_ms, BATCH, domain_watch_add,
	                    watch);
	return tx_commit(&tx);
}

/* ID "": central has no such domain. */
struct domain_check {
	struct domain_watch *watch;
	const struct watched_zone *zone;
	const char *id;
	uint64_t version;		/* 0: central is deleting the domain */
};

static bool domain_check_is_lost(const struct domain_check *check)
{
	const char *was = check->zone->domain_id;

	return !*check->id || (*was && strcmp(check->id, was));
}

static enum err domain_check_write(void *self, struct why *why)
{
	const struct domain_check *check = self;
	const struct zone_key key = { .zone = check->zone->zone, .project_id = "" };
	struct tx tx = tx_begin(check->watch->ports->runtime.db, why);

	store_zone_known(&tx, key.zone, check->id);
	if (domain_check_is_lost(check))
		store_zone_lost_all(&tx, &key);
	else if (check->version)
		store_zone_suspect(&tx, key.zone, check->version);
	return tx_commit(&tx);
}

/* DOMAIN: central's answer; NULL: central has no such domain. */
static void domain_watch_check(struct domain_watch *watch,
                               const struct watched_zone *zone, const json_t *domain)
{
	const char *id = json_string_value(json_object_get(domain, "id"));
	const char *task = json_string_value(json_object_get(domain, "task"));
	struct domain_check check = { watch, zone, id ? id : "", 0 };
	struct why why;

	if (task && strcmp(task, "DELETE"))
		check.version = (uint64_t)json_integer_value(json_object_get(domain,
		                                                             "version"));

	if (tx_retry_on_loop(domain_check_write, &check, &why))
		log_warn("domain in central not checked: domain=%s reason=\"%s\"",
		         zone->zone, why.text);
	else if (domain_check_is_lost(&check))
		log_warn("domain in central was deleted or replaced: domain=%s old=%s "
		         "new=%s",
		         zone->zone, zone->domain_id, check.id);
}

static void domain_watch_ask_next(struct domain_watch *watch);

static enum err domain_watch_put_last(void *self, struct why *why)
{
	struct domain_watch *watch = self;
	const struct watched_zone *zone = &watch->zones[watch->next];
	struct tx tx = tx_autocommit(watch->ports->runtime.db, why);

	store_zone_put_last(&tx, zone->zone);
	return tx_commit(&tx);
}

/*
 * Central cannot answer about one domain: the others come first. If central answers no
 * question at all, the next timer call repeats the question.
 */
static void domain_watch_skip(struct domain_watch *watch, const struct rpc_answer *answer)
{
	struct why why;

	if (err_retry(answer->err) != RETRY_NEVER)
		return;
	log_warn("domain in central not checked: domain=%s reason=\"%s\"",
	         watch->zones[watch->next].zone, answer->why.text);
	if (tx_retry_on_loop(domain_watch_put_last, watch, &why))
		log_warn("domain in central not checked: domain=%s reason=\"%s\"",
		         watch->zones[watch->next].zone, why.text);
	watch->next++;
	domain_watch_ask_next(watch);
}

static void domain_watch_on_answer(void *self, const struct rpc_answer *answer)
{
	struct domain_watch *watch = self;
	const struct watched_zone *zone = &watch->zones[watch->next];

	watch->is_asking = false;
	if (answer->err && answer->err != ERR_NOT_FOUND) {
		domain_watch_skip(watch, answer);
		return;
	}
	watch->next++;
	domain_watch_check(watch, zone, answer->err ? NULL : answer->result);
	domain_watch_ask_next(watch);
}

static void domain_watch_ask_next(struct domain_watch *watch)
{
	const struct rpc_target central = { .topic = "central" };
	json_t *args;
	struct why why;

	if (watch->next == watch->count)
		return;
	args = json_pack("{s:s}", "domain", watch->zones[watch->next].zone);
	watch->is_asking = !rpc_call(watch->ports->runtime.rpc, &central, "get_domain",
	                             args, NULL, CALL_MS, domain_watch_on_answer, watch,
	                             &why);
	/* the next timer call repeats the question */
	if (!watch->is_asking)
		log_warn("domain in central not checked: domain=%s reason=\"%s\"",
		         watch->zones[watch->next].zone, why.text);
	json_decref(args);
}

/* Without a share, the next timer call asks again for one. */
static void domain_watch_begin(struct domain_watch *watch)
{
	const struct runtime *runtime = &watch->ports->runtime;
	struct why why;

	watch->count = watch->next = 0;
	watch->share = membership_share(runtime->membership, runtime->db);
	if (!watch->share.total || !tx_retry_on_loop(domain_watch_read, watch, &why))
		return;
	log_warn("domains in central not checked: reason=\"%s\"", why.text);
	watch->count = watch->next = 0;
}

void domain_watch_fire(struct domain_watch *watch)
{
	if (watch->is_asking)
		return;
	if (watch->next == watch->count)
		domain_watch_begin(watch);
	domain_watch_ask_next(watch);
}

struct domain_watch *domain_watch_new(struct ports *ports)
{
	struct domain_watch *watch = xcalloc(1, sizeof(*watch));

	watch->ports = ports;
	watch->arena = arena_new();
	return watch;
}

void domain_watch_free(struct domain_watch **watch)
{
	if (!*watch)
		return;
	rpc_cancel((*watch)->ports->runtime.rpc, *watch);
	arena_free(&(*watch)->arena);
	free(*watch);
	*watch = NULL;
}
