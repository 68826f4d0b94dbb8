/*
 * pull -- asks Neutron's servers for what they have (bulk_pull of Neutron's topic
 * "q-plugin", version 1.1), one question at a time. Its answer is one message, however
 * much it is: whoever asks for much asks for its ids and revisions only.
 */
#pragma once

#include "neutron.h"
#include "ports.h"

struct pull;

struct pull_question {
	enum neutron_kind of;		/* but for NEUTRON_FLOATING */
	const char *key;		/* of the filter: "network_id"; NULL: all of them */
	const char *(*id)(const void *ids, size_t i);
	const void *ids;
	size_t count;
	bool is_light;			/* without names and addresses */
};

/* LIST: ovo.h; borrowed. NULL: none came, for a reason. */
typedef void pull_fn(void *self, const json_t *list, const struct why *why);

struct pull *pull_new(struct ports *ports);
void pull_free(struct pull **pull);
/* Answered once, never from within, and not after pull_free(). */
void pull_ask(struct pull *pull, const struct pull_question *question, pull_fn *answer,
              void *self);
