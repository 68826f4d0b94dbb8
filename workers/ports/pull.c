#include "pull.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "ovo.h"
#include "runtime/broker.h"
#include "runtime/loop.h"

enum {
	ANSWER_MS = 60 * 1000,
	ANSWER_MAX = 64 << 20,		/* octets: about 80 000 ports, ids only */
	UUID_LEN = 36,
};

struct pull {
	struct ports *ports;
	struct broker_config config;
	struct rpc_client *client;
	struct loop_timer *fail_timer;	/* reports a query that was not sent */
	struct why why;
	pull_fn *answer;
	void *self;
};

static void pull_answer(struct pull *pull, const json_t *list, const struct why *why)
{
	pull_fn *fn = pull->answer;

	pull->answer = NULL;
	fn(pull->self, list, why);
}

static void pull_on_failing(void *self)
{
	struct pull *pull = self;

	pull_answer(pull, NULL, &pull->why);
}

static void pull_on_answer(void *self, const struct rpc_answer *reply)
{
	struct why why;

	if (reply->err)
		pull_answer(self, NULL, &reply->why);
	else if (json_is_array(reply->result))
		pull_answer(self, reply->result, NULL);
	else if (fail(&why, ERR_INVALID, "Neutron's answer must be a list"))
		pull_answer(self, NULL, &why);
}

struct pull *pull_new(struct ports *ports)
{
	struct pull *pull = xcalloc(1, sizeof(*pull));

	pull->ports = ports;
	pull->config = *ports->runtime.broker_config;
	if (pull->config.max_message_bytes < ANSWER_MAX)
		pull->config.max_message_bytes = ANSWER_MAX;
	pull->client = rpc_client_open(ports->runtime.loop, &pull->config,
	                               ports->runtime.out);
	pull->fail_timer = loop_timer_new(ports->runtime.loop, pull_on_failing, pull);
	return pull;
}

void pull_free(struct pull **pull)
{
	if (!*pull)
		return;
	rpc_client_close(&(*pull)->client);
	loop_timer_free(&(*pull)->fail_timer);
	free(*pull);
	*pull = NULL;
}

/* Neutron's ids have hyphens, and it compares them as texts. */
static json_t *pull_uuid(const char *id)
{
	char text[UUID_LEN + 1];

	snprintf(text, sizeof(text), "%.8s-%.4s-%.4s-%.4s-%.12s", id, id + 8, id + 12,
	         id + 16, id + 20);
	return json_string(text);
}

static json_t *pull_filter(const struct pull_query *query)
{
	json_t *filter = json_object(), *ids = json_array();

	for (size_t i = 0; i < query->count; i++)
		json_array_append_new(ids, pull_uuid(query->id(query->ids, i)));
	if (query->key)
		json_object_set_new(filter, query->key, ids);
	else
		json_decref(ids);
	if (query->ids_only)
		json_object_set_new(filter, "fields", json_pack("[s]", "id"));
	return filter;
}

void pull_ask(struct pull *pull, const struct pull_query *query, pull_fn *fn,
              void *self)
{
	const struct ports_settings *settings = &pull->ports->settings;
	const struct rpc_target target = {
		.topic = "q-plugin", .exchange = settings->feed, .version = "1.1",
	};
	const char *type = ovo_name(query->kind);
	char version[OVO_WORD_MAX + 1];
	json_t *args;

	bug_if(pull->answer);
	ovo_list_version(settings->feed_objects, type, version);
	args = json_pack("{s:s, s:s, s:o}", "resource_type", type, "version", version,
	                 "filter_kwargs", pull_filter(query));
	pull->answer = fn;
	pull->self = self;
	if (rpc_call(pull->client, &target, "bulk_pull", args, NULL, ANSWER_MS,
	             pull_on_answer, pull, &pull->why))
		loop_timer_set(pull->fail_timer, 0);
	json_decref(args);
}
