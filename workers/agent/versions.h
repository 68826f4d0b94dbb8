/*
 * versions -- asks a service for the current versions of the objects that mirrors copy.
 * The agent asks periodically, to find lost messages about changes.
 *
 *	TOPIC hosts_versions(KEYS=[name, ...])  ->  {"versions": {name: version, ...}}
 *
 * The agent makes one call at a time. If a call gets no answer, the agent asks for the
 * versions of the same objects in a later call.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct rpc_client;
struct versions;

/* maximum number of names that the service accepts in one call */
enum { VERSIONS_NAMES_MAX = 500 };

struct versions_config {
	struct rpc_client *rpc;
	const char *topic, *keys;
	void (*found)(void *self, const char *name, uint64_t version);
	void *self;
};

struct versions *versions_new(const struct versions_config *config);
void versions_free(struct versions **versions);
/*
 * Asks for the versions of the objects NAMES, and calls config->found() for each version
 * in the answer. Takes over NAMES. False: the function makes no call, because NAMES is
 * empty or the last call is not finished.
 */
bool versions_ask(struct versions *versions, json_t *names);
