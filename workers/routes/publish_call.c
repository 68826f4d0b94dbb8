#include "publish_private.h"

static const struct rpc_target central = { .topic = "central" };

const char *publish_domain(const struct publication *publication)
{
	return arena_printf(publication->work.arena, "%s.", publication->router.dns);
}

void publish_call(struct publication *publication, const char *method, json_t *args,
                  rpc_answer_fn *answered)
{
	work_call(publication, &central, method, args, NULL, answered);
}
