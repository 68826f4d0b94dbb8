#include "agent/versions.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "model/json.h"
#include "runtime/rpc.h"

enum { ANSWER_MS = 10 * 1000 };

struct versions {
	struct versions_config config;
	bool is_asking;
	bool is_unheard;		/* the log says that no answer comes */
};

static enum err versions_take(const struct versions *versions, const json_t *answer,
                              struct why *why)
{
	const json_t *found;
	const char *name;
	json_t *version;
	enum err err = json_get_object(answer, "versions", JSON_REQUIRED, &found, why);

	if (err)
		return err;
	json_object_foreach((json_t *)found, name, version)
		if (json_is_integer(version))
			versions->config.found(versions->config.self, name,
			                       (uint64_t)json_integer_value(version));
	return OK;
}

static void versions_on_answer(void *self, const struct rpc_answer *answer)
{
	struct versions *versions = self;
	struct why why = answer->why;
	enum err err = answer->err;

	versions->is_asking = false;
	if (!err)
		err = versions_take(versions, answer->result, &why);
	if (err && !versions->is_unheard)
		log_warn("versions of the contents not received: topic=%s reason=\"%s\"",
		         versions->config.topic, why.text);
	versions->is_unheard = err;
}

bool versions_ask(struct versions *versions, json_t *names)
{
	const struct rpc_target target = { .topic = versions->config.topic };
	json_t *args = json_pack("{s:o}", versions->config.keys, names);
	struct why why;
	bool is_asked = !versions->is_asking && json_array_size(names);

	if (is_asked)
		versions->is_asking = !rpc_call(versions->config.rpc, &target,
		                                "hosts_versions", args, NULL, ANSWER_MS,
		                                versions_on_answer, versions, &why);
	json_decref(args);
	return is_asked;
}

struct versions *versions_new(const struct versions_config *config)
{
	struct versions *versions = xcalloc(1, sizeof(*versions));

	versions->config = *config;
	return versions;
}

void versions_free(struct versions **versions)
{
	if (*versions)
		rpc_cancel((*versions)->config.rpc, *versions);
	free(*versions);
	*versions = NULL;
}
