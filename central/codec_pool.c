#include "codec_pool.h"

#include <string.h>

#include "codec.h"
#include "model/json.h"

/* Null counts as absent. */
static bool has_hosts(const json_t *json)
{
	const json_t *hosts = json_object_get(json, "ns_records");

	return hosts && !json_is_null(hosts);
}

static enum err get_pool_values(const json_t *json, struct arena *arena,
                                struct pool *pool, struct why *why)
{
	const char **hosts;
	enum err err = json_get_text(json, "description", 0, DESCRIPTION_MAX,
	                             &pool->description, why);

	if (!err && has_hosts(json)) {
		err = codec_hosts(json, "ns_records", arena, &hosts,
		                  &pool->ns_record_count, why);
		pool->ns_records = hosts;
	}
	return err;
}

/* A pool's name is part of a queue's: no dots, no blanks. */
static bool is_pool_name(const char *name)
{
	return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
	                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")];
}

enum err codec_pool(const json_t *json, struct arena *arena, struct pool *pool,
                    struct why *why)
{
	static const char *const keys[] = { "name", "description", "ns_records", NULL };
	enum err err = json_only_keys(json, keys, "a pool", why);

	*pool = (struct pool){ .description = "" };
	if (err)
		return err;
	err = json_get_text(json, "name", JSON_REQUIRED, POOL_NAME_MAX, &pool->name, why);
	if (!err && !is_pool_name(pool->name))
		err = fail(why, ERR_INVALID,
		           "name may have letters, digits, '_' and '-'");
	if (!err)
		err = get_pool_values(json, arena, pool, why);
	return codec_within("pool", err, why);
}

enum err codec_pool_values(const json_t *json, struct arena *arena, struct pool *pool,
                           bool *ns, struct why *why)
{
	static const char *const keys[] = { "description", "ns_records", NULL };
	enum err err = json_only_keys(json, keys, "a change of a pool", why);

	if (err)
		return err;
	*ns = has_hosts(json);
	return codec_within("values", get_pool_values(json, arena, pool, why), why);
}

json_t *codec_pool_encode(const struct pool *pool)
{
	json_t *hosts = json_array();

	for (size_t i = 0; i < pool->ns_record_count; i++)
		json_array_append_new(hosts, json_string(pool->ns_records[i]));
	return json_pack("{s:s, s:s, s:s, s:o}", "id", pool->id, "name", pool->name,
	                 "description", pool->description, "ns_records", hosts);
}
