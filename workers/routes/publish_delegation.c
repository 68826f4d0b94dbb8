#include "core/delegation.h"
#include "publish_private.h"

static const struct rpc_target ownership = { .topic = "ownership" };

bool publish_is_delegated(const struct publication *publication)
{
	return delegation_is_below(publication->router.dns,
	                           publication->routes->settings.parent);
}

/* Takes over ENDPOINTS: all records of the router in the parent. */
static void publish_apply_endpoints(struct publication *publication, json_t *endpoints,
                                    rpc_answer_fn *answered)
{
	const struct routes_settings *settings = &publication->routes->settings;

	work_call(publication, &ownership, "apply_endpoints", json_pack(
		"{s:s, s:s, s:s, s:b, s:o}", "storage_id", settings->parent_storage,
		"zone", settings->parent, "resource",
		arena_printf(publication->work.arena, "router/%s", publication->name),
		"complete", true, "endpoints", endpoints), NULL, answered);
}

void publish_fail_delegation(struct publication *publication,
                             const struct rpc_answer *answer)
{
	work_fail(publication, arena_printf(publication->work.arena,
	          "cannot update the delegation of the domain in %s: %s",
	          publication->routes->settings.parent, answer->why.text));
}

static void publish_on_ns(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;
	const json_t *sets = json_object_get(answer->result, "recordsets");
	const json_t *set = json_array_get(sets, 0);

	if (answer->err)
		publish_fail_delegation(publication, answer);
	else
		publish_apply_endpoints(publication,
			delegation_endpoints(publication->router.dns,
			                     json_object_get(set, "records"),
			                     publication->zone),
			publication->delegated);
}

void publish_delegate(struct publication *publication, rpc_answer_fn *answered)
{
	const char *domain = publish_domain(publication);

	publication->delegated = answered;
	publish_call(publication, "find_recordsets", json_pack("{s:s, s:{s:s, s:s}}",
	    "domain", domain, "criterion", "name", domain, "type", "NS"), publish_on_ns);
}

void publish_undelegate(struct publication *publication, rpc_answer_fn *answered)
{
	publish_apply_endpoints(publication, json_array(), answered);
}
