#include "shard_private.h"

#include <stdlib.h>

#include "base/backoff.h"
#include "base/log.h"
#include "consistency/heartbeat.h"
#include "consistency/holder.h"
#include "consistency/membership.h"
#include "runtime/metrics.h"

enum { CALL_MS = 10 * 1000 };

static const struct rpc_target central = { .topic = "central" };
static const struct backoff again = { .first_ms = 500, .max_ms = 60 * 1000 };

static struct metric *failures;

void shard_step_metrics(void)
{
	failures = metric_new(METRIC_COUNTER, "routes_zone_failures_total",
	    "changes of routers' domains that failed and are tried again. The "
	    "router's reason has the cause", NULL, NULL);
}

struct holder *shard_holder(const struct shards *shards)
{
	return membership_holder(heartbeat_membership(shards->routes->heartbeat));
}

void shard_end(struct shard *shard)
{
	struct shards *shards = shard->shards;
	struct shard **at = &shards->all;

	while (*at != shard)
		at = &(*at)->next;
	*at = shard->next;
	shards->count--;
	rpc_cancel(shards->routes->runtime.rpc, shard);
	if (shard->held)
		holder_drop(shard_holder(shards), shards->routes->runtime.db, &shard->held);
	json_decref(shard->zone);
	arena_free(&shard->arena);
	free(shard->name);
	free(shard);
}

struct tx shard_begin_guarded(struct shard *shard, struct why *why)
{
	struct tx tx = tx_begin(shard->shards->routes->runtime.db, why);

	holder_guard(shard_holder(shard->shards), &tx, shard->held);
	return tx_move(&tx);
}

struct failing {
	struct shard *shard;
	const char *reason;
};

static enum err write_failure(void *self, struct why *why)
{
	const struct failing *failing = self;
	struct shard *shard = failing->shard;
	struct tx tx = shard_begin_guarded(shard, why);

	store_shard_failed(&tx, &shard->router, failing->reason,
	                   backoff_ms(&again, (int)shard->router.failures, random_u32()));
	return tx_commit(&tx);
}

void shard_give_up(struct shard *shard, const char *reason)
{
	struct failing failing = { shard, reason };
	struct why why;

	metric_add(failures, 1);
	log_warn("router's domain not published: router=%s dns=%s reason=\"%s\"",
	         shard->name, shard->router.dns, reason);
	if (tx_retry_on_loop(write_failure, &failing, &why))
		log_warn("failure not written: router=%s reason=\"%s\"", shard->name,
		         why.text);
	shard_end(shard);
}

void shard_end_by(struct shard *shard, enum err (*write)(void *self, struct why *why))
{
	struct why why;

	if (tx_retry_on_loop(write, shard, &why))
		shard_give_up(shard, why.text);
	else
		shard_end(shard);
}

void shard_ask_at(struct shard *shard, const struct rpc_target *target, const char *method,
                  json_t *args, rpc_answer_fn *answered)
{
	struct why why;
	enum err err = rpc_call(shard->shards->routes->runtime.rpc, target, method, args,
	                        NULL, CALL_MS, answered, shard, &why);

	json_decref(args);
	if (err)
		shard_give_up(shard, why.text);
}

void shard_ask(struct shard *shard, const char *method, json_t *args,
               rpc_answer_fn *answered)
{
	shard_ask_at(shard, &central, method, args, answered);
}

const char *shard_domain(const struct shard *shard)
{
	return arena_printf(shard->arena, "%s.", shard->router.dns);
}

void shard_look(struct shard *shard)
{
	shard->shards->look(shard);
}
