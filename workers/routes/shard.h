/*
 * shard -- a router's domain goes to central, by whoever has its lock: one change of all
 * that it should have otherwise, under one serial. Central is asked then until its servers
 * have that serial. What nobody knows the end of is said again: a set that is so already
 * changes nothing. From time to time all of it is said, whatever was told before.
 *
 * The domain is made when its router is new, unless central has it already; if it was made
 * it goes with its router, once that has nothing there any more. If it is below
 * routes.parent, the ownership registry of that zone has its delegation in the meantime.
 */
#pragma once

#include "routes.h"

enum { SHARDS_AT_ONCE = 16 };		/* of a process */

void shard_metrics(void);		/* before the fork */

struct shards *shards_new(struct routes *routes);
void shards_free(struct shards **shards);
void shards_fire(struct shards *shards);	/* each second: those that are due */
void shards_now(struct shards *shards, const char *router);	/* it has just changed */
void shards_drain(struct shards *shards);	/* begin with none any more */
bool shards_are_idle(const struct shards *shards);
