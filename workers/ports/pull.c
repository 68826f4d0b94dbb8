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
	ANSWER_MAX = 64 << 20,		/* octets: about 80 000 ports, light */
	UUID_LEN = 36,
};

struct pull {
	struct ports *ports;
	struct broker_config config;
	struct rpc_client *client;
	struct loop_timer *failing;	/* what could not even be asked */
	struct why why;
	pull_fn *answer;
	void *self;
};

static void answer(struct pull *pull, const json_t *list, const struct why *why)
{
	pull_fn *fn = pull->answer;

	pull->answer = NULL;
	fn(pull->self, list, why);
}

static void on_failing(void *self)
{
	struct pull *pull = self;

	answer(pull, NULL, &pull->why);
}

static void on_answer(void *self, const struct rpc_answer *reply)
{
	struct why why;

	if (reply->err)
		answer(self, NULL, &reply->why);
	else if (json_is_array(reply->result))
		answer(self, reply->result, NULL);
	else if (fail(&why, ERR_INVALID, "Neutron's answer is no list"))
		answer(self, NULL, &why);
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
	pull->failing = loop_timer_new(ports->runtime.loop, on_failing, pull);
	return pull;
}

void pull_free(struct pull **pull)
{
	if (!*pull)
		return;
	rpc_client_close(&(*pull)->client);
	loop_timer_free(&(*pull)->failing);
	free(*pull);
	*pull = NULL;
}

/* Neutron's ids have hyphens, and it compares them as texts. */
static json_t *uuid(const char *id)
{
	char text[UUID_LEN + 1];

	snprintf(text, sizeof(text), "%.8s-%.4s-%.4s-%.4s-%.12s", id, id + 8, id + 12,
	         id + 16, id + 20);
	return json_string(text);
}

static json_t *filter_of(const struct pull_question *question)
{
	json_t *filter = json_object(), *ids = json_array();

	for (size_t i = 0; i < question->count; i++)
		json_array_append_new(ids, uuid(question->id(question->ids, i)));
	if (question->key)
		json_object_set_new(filter, question->key, ids);
	else
		json_decref(ids);
	if (question->is_light)
		json_object_set_new(filter, "fields", json_pack("[s]", "id"));
	return filter;
}

void pull_ask(struct pull *pull, const struct pull_question *question, pull_fn *fn,
              void *self)
{
	const struct ports_settings *settings = &pull->ports->settings;
	const struct rpc_target target = {
		.topic = "q-plugin", .exchange = settings->feed, .version = "1.1",
	};
	const char *type = ovo_name(question->of);
	char version[OVO_WORD_MAX + 1];
	json_t *args;

	bug_if(pull->answer);
	ovo_list_version(settings->feed_objects, type, version);
	args = json_pack("{s:s, s:s, s:o}", "resource_type", type, "version", version,
	                 "filter_kwargs", filter_of(question));
	pull->answer = fn;
	pull->self = self;
	if (rpc_call(pull->client, &target, "bulk_pull", args, NULL, ANSWER_MS,
	             on_answer, pull, &pull->why))
		loop_timer_set(pull->failing, 0);
	json_decref(args);
}
