/*
 * codec_pool -- converts pools from and to JSON. The name of a pool is part of the name
 * of a queue. So the name of a pool contains only letters, digits, '_' and '-'. The
 * name of a pool never changes.
 */
#pragma once

#include <jansson.h>

#include "core/limits.h"
#include "model/json.h"
#include "store.h"

/* The values of a new or changed pool that are not in the row of the pool. */
struct pool_spec {
	/* the call contains hosts for NS records; these hosts are in pool->ns_records */
	bool has_ns;
	/*
	 * name of the catalog zone; NULL: the call does not set the name; "": the pool
	 * gets no catalog zone
	 */
	const char *catalog;
	struct name catalog_name;
};

extern const struct json_field codec_pool_fields[], codec_pool_shown[];
/*
 * Tables of the fields that the answer of get_pool contains, and of the fields of an item
 * of `limits`.
 */
extern const struct json_field codec_pool_limited[], codec_pool_limits[];

enum err codec_pool(const json_t *json, struct arena *arena, struct pool *pool,
                    struct pool_spec *spec, struct why *why);
/* Reads the argument `values` of update_pool. Writes the new values to POOL and SPEC. */
enum err codec_pool_values(const json_t *json, struct arena *arena, struct pool *pool,
                           struct pool_spec *spec, struct why *why);

json_t *codec_pool_encode(const struct pool *pool);
/* Makes the JSON list of the limits of all backends of SERVERS. */
json_t *codec_pool_encode_limits(const struct limit_server *servers, size_t count);
