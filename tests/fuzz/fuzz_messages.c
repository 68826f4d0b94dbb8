/* Any bytes as a message: decoded, encoded and decoded again, they mean the same. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "model/json.h"
#include "model/messages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BODY_MAX = 65536 };

/* What a decoder made of one message, as JSON; NULL if it refused. */
static json_t *order(const json_t *args, struct why *why)
{
	struct poll_order got;

	return poll_order_decode(args, &got, why) ? NULL : poll_order_encode(&got);
}

static json_t *answer(const json_t *args, struct why *why)
{
	struct server_report got;

	return server_report_decode(args, &got, why) ? NULL : server_report_encode(&got);
}

static json_t *agreed(const json_t *args, struct why *why)
{
	struct pool_report got;

	return pool_report_decode(args, &got, why) ? NULL : pool_report_encode(&got);
}

static json_t *domain(const json_t *args, struct why *why)
{
	struct domain_ref got;

	return domain_ref_decode(args, &got, why) ? NULL : domain_ref_encode(&got);
}

static json_t *checks(const json_t *args, struct why *why)
{
	struct arena *arena = arena_new();
	struct server_checks got;
	json_t *json = server_checks_decode(args, arena, &got, why)
	                   ? NULL
	                   : server_checks_encode(&got);

	arena_free(&arena);
	return json;
}

static json_t *checked(const json_t *args, struct why *why)
{
	struct arena *arena = arena_new();
	struct server_answers got;
	json_t *json = server_answers_decode(args, arena, &got, why)
	                   ? NULL
	                   : server_answers_encode(&got);

	arena_free(&arena);
	return json;
}

static json_t *(*const messages[])(const json_t *, struct why *) = {
	order, answer, agreed, domain, checks, checked,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct why why;
	json_t *args;

	if (json_decode_object((const char *)data, size, BODY_MAX, &args, &why))
		return 0;
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		json_t *once = messages[i](args, &why);
		json_t *twice = once ? messages[i](once, &why) : NULL;

		if (once && !json_equal(once, twice))
			abort();
		json_decref(once);
		json_decref(twice);
	}
	json_decref(args);
	return 0;
}
