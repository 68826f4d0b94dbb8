#include "core/delegation.h"
#include "shard_private.h"

static const struct rpc_target ownership = { .topic = "ownership" };

static const struct routes_settings *settings_of(const struct shard *shard)
{
	return &shard->shards->routes->settings;
}

bool shard_is_delegated(const struct shard *shard)
{
	return delegation_is_below(shard->router.dns, settings_of(shard)->parent);
}

/* Steals ENDPOINTS: all that its parent is to have of it. */
static void ask_parent(struct shard *shard, json_t *endpoints, rpc_answer_fn *answered)
{
	shard_ask_at(shard, &ownership, "apply_endpoints", json_pack(
		"{s:s, s:s, s:s, s:b, s:o}", "storage_id",
		settings_of(shard)->parent_storage, "zone", settings_of(shard)->parent,
		"resource", arena_printf(shard->arena, "router/%s", shard->name),
		"complete", true, "endpoints", endpoints), answered);
}

void shard_not_delegated(struct shard *shard, const struct rpc_answer *answer)
{
	shard_give_up(shard, arena_printf(shard->arena, "not delegated in %s: %s",
	                            settings_of(shard)->parent, answer->why.text));
}

static void hear_ns(void *self, const struct rpc_answer *answer)
{
	struct shard *shard = self;
	const json_t *set = json_array_get(json_object_get(answer->result, "recordsets"), 0);

	if (answer->err)
		shard_not_delegated(shard, answer);
	else
		ask_parent(shard, delegation_endpoints(shard->router.dns,
			json_object_get(set, "records"), shard->zone),
			shard->delegated);
}

void shard_delegate(struct shard *shard, rpc_answer_fn *answered)
{
	const char *domain = shard_domain(shard);

	shard->delegated = answered;
	shard_ask(shard, "find_recordsets", json_pack("{s:s, s:{s:s, s:s}}", "domain", domain,
	    "criterion", "name", domain, "type", "NS"), hear_ns);
}

void shard_undelegate(struct shard *shard, rpc_answer_fn *answered)
{
	ask_parent(shard, json_array(), answered);
}
