/*
 * codec_pool -- pools from and to JSON. A pool's name is part of a queue's,
 * and so of few characters; it is fixed at the creation.
 */
#pragma once

#include <jansson.h>

#include "model/json.h"
#include "store.h"

/* What of a pool is more than its row, as someone wishes it. */
struct pool_wish {
	bool has_ns;			/* the hosts are new ones */
	/* its catalog zone; NULL: as it is, "": none */
	const char *catalog;
	struct name catalog_name;
};

extern const struct json_field codec_pool_fields[], codec_pool_shown[];

enum err codec_pool(const json_t *json, struct arena *arena, struct pool *pool,
                    struct pool_wish *wish, struct why *why);
/* The values of update_pool, onto POOL. */
enum err codec_pool_values(const json_t *json, struct arena *arena, struct pool *pool,
                           struct pool_wish *wish, struct why *why);

json_t *codec_pool_encode(const struct pool *pool);
