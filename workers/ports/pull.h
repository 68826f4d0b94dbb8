/*
 * pull -- reads objects from Neutron's servers (bulk_pull of Neutron's topic "q-plugin",
 * version 1.1), one query at a time. An answer is one message of any size. So a query for
 * many objects requests only their ids and revisions.
 */
#pragma once

#include "neutron.h"
#include "ports.h"

struct pull;

struct pull_query {
	enum neutron_kind kind;		/* not NEUTRON_FLOATING */
	const char *key;		/* filter: "network_id"; NULL: all objects */
	const char *(*id)(const void *ids, size_t i);
	const void *ids;
	size_t count;
	bool ids_only;			/* without names and addresses */
};

/* LIST: see ovo.h; borrowed. NULL: the query failed, and *why has the reason. */
typedef void pull_fn(void *self, const json_t *list, const struct why *why);

struct pull *pull_new(struct ports *ports);
void pull_free(struct pull **pull);
/* Calls ANSWER once, after pull_ask() has returned, and not after pull_free(). */
void pull_ask(struct pull *pull, const struct pull_query *query, pull_fn *answer,
              void *self);
