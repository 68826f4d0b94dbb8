/*
 * versions -- asks at intervals for the present versions of objects that mirrors copy, to
 * find changes whose messages were lost.
 *
 *	TOPIC hosts_versions(KEYS=[name, ...])  ->  {"versions": {name: version, ...}}
 *
 * One call at a time is out. A name without an answer is in the next call.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct rpc_client;
struct versions;

enum { VERSIONS_NAMES_MAX = 500 };	/* in one call */

struct versions_config {
	struct rpc_client *rpc;
	const char *topic, *keys;
	void (*found)(void *self, const char *name, uint64_t version);
	void *self;
};

struct versions *versions_new(const struct versions_config *config);
void versions_free(struct versions **versions);
/* Takes over NAMES. False: not possible now. */
bool versions_ask(struct versions *versions, json_t *names);
