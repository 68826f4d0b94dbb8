/*
 * pull -- reads objects from Neutron's servers, one call at a time (method bulk_pull of
 * Neutron's topic "q-plugin", version 1.1). The answer is one message, whose size has no
 * limit. So a call about many objects requests only their ids and revisions.
 */
#pragma once

#include "neutron.h"
#include "ports.h"

struct pull;

struct pull_query {
	enum neutron_kind kind;		/* kind of the objects, except NEUTRON_FLOATING */
	/* field that the filter compares, for example "network_id"; NULL: all objects */
	const char *key;
	/* returns the value at index I of `ids` */
	const char *(*id)(const void *ids, size_t i);
	const void *ids;
	size_t count;			/* number of values in `ids` */
	bool ids_only;			/* read only ids and revisions */
};

/*
 * LIST contains the objects (ovo.h), and is valid until the callback returns. NULL: the
 * call failed, and *why contains the reason.
 */
typedef void pull_fn(void *self, const json_t *list, const struct why *why);

struct pull *pull_new(struct ports *ports);
void pull_free(struct pull **pull);
/*
 * Reads objects. Calls ANSWER exactly once, after pull_ask() has returned. Never calls
 * ANSWER after pull_free().
 */
void pull_ask(struct pull *pull, const struct pull_query *query, pull_fn *answer,
              void *self);
