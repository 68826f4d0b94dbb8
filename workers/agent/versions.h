/*
 * versions -- asks a service for the current versions of the objects that mirrors copy.
 * The agent asks periodically, to find changes whose messages were lost.
 *
 *	TOPIC hosts_versions(KEYS=[name, ...])  ->  {"versions": {name: version, ...}}
 *
 * The agent makes one call at a time. If a call gets no answer, the agent asks for the
 * same objects again in a later call.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct rpc_client;
struct versions;

enum { VERSIONS_NAMES_MAX = 500 };	/* maximum number of names in one call */

struct versions_config {
	struct rpc_client *rpc;
	const char *topic, *keys;
	void (*found)(void *self, const char *name, uint64_t version);
	void *self;
};

struct versions *versions_new(const struct versions_config *config);
void versions_free(struct versions **versions);
/* Takes over NAMES. False: NAMES is empty, or the last call is not finished. */
bool versions_ask(struct versions *versions, json_t *names);
