/*
 * codec_pool -- pools from and to JSON. A pool's name is part of a queue's,
 * and so of few characters; it is fixed at the creation.
 */
#pragma once

#include <jansson.h>

#include "store.h"

enum err codec_pool(const json_t *json, struct arena *arena, struct pool *pool,
                    struct why *why);
/* The values of update_pool, onto POOL; *ns: the hosts are new ones. */
enum err codec_pool_values(const json_t *json, struct arena *arena, struct pool *pool,
                           bool *ns, struct why *why);

json_t *codec_pool_encode(const struct pool *pool);
