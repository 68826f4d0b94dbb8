/*
 * versions -- asks, now and then, of which version is by now what mirrors have copies of,
 * so that what was told and got lost is found.
 *
 *	TOPIC	hosts_versions(KEYS=[name, ...])  ->  {"versions": {name: version, ...}}
 *
 * One question is out at a time. What nobody answers is asked the next time.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct rpc_client;
struct versions;

enum { VERSIONS_NAMES_MAX = 500 };	/* of one question */

struct versions_config {
	struct rpc_client *rpc;
	const char *topic, *keys;
	void (*found)(void *self, const char *name, uint64_t version);
	void *self;
};

struct versions *versions_new(const struct versions_config *config);
void versions_free(struct versions **versions);
/* NAMES: a gift. False: not now. */
bool versions_ask(struct versions *versions, json_t *names);
