#include "codec_pool.h"

#include <string.h>

#include "codec.h"
#include "core/catalog.h"
#include "core/limits.h"
#include "model/attributes.h"
#include "model/json.h"

const struct json_field codec_pool_fields[] = {
	{ "name", "string", "the name of the pool: letters, digits, `_` and "
	  "`-`", .max = POOL_NAME_MAX,
	  .is_fixed = true },
	{ "description", "string", "any text. zonefleet does not use this text",
	  "empty", DESCRIPTION_MAX },
	{ "ns_records", "list of names", "the hosts of the NS records of new domains",
	  "empty", POOL_NS_MAX },
	{ "attributes", "[attributes]", "the attributes that the filter `attribute` of "
	  "the scheduler compares with the attributes of a new domain", "empty" },
	{ "capacity", "number from -1", "the number of domains at which the filter "
	  "`capacity` of the scheduler removes the pool. central counts the domains of "
	  "such a pool every `central.sweep`. -1: no limit", "-1", UINT32_MAX },
	{ "catalog_zone", "name", "the name of the catalog zone of the pool. central "
	  "creates this zone. If the name is empty, central deletes the catalog zone of "
	  "the pool",
	  "none" },
	{ 0 }
};

#define SHOWN \
	{ "id", "id", "the id of the pool" }, \
	{ "name", "string", "the name of the pool" }, \
	{ "description", "string", "any text. zonefleet does not use this text" }, \
	{ "ns_records", "list of names", "the hosts of the NS records of new domains" }, \
	{ "catalog_zone", "name or null", "the catalog zone of the pool" }, \
	{ "attributes", "[attributes]", "the attributes" }, \
	{ "capacity", "number", "the number of domains at which the filter " \
	  "`capacity` of the scheduler removes the pool; -1: no limit" }

const struct json_field codec_pool_shown[] = { SHOWN, { 0 } };

const struct json_field codec_pool_limited[] = {
	SHOWN,
	{ "limits", "list of [server limit]", "records that the name servers of the pool "
	  "do not accept, or do not send in a zone transfer, although the records obey "
	  "the RFCs" },
	{ 0 }
};

const struct json_field codec_pool_limits[] = {
	{ "backend", "string", "the backend of the name servers, for example `bind9`" },
	{ "server", "string", "the software of the name servers, for example `BIND`" },
	{ "limit", "string", "the limit of the software, for example `accepts no NS "
	  "records at a wildcard name`" },
	{ "effect", "string", "what the software does with records that exceed the "
	  "limit, for example `refuses the whole zone`" },
	{ 0 }
};

/* An empty text: no catalog zone. */
static enum err pool_get_catalog(const json_t *json, struct arena *arena,
                                 struct pool_spec *spec, struct why *why)
{
	enum err err = json_get_text(json, "catalog_zone", 0, NAME_MAX_TEXT,
	                             &spec->catalog, why);

	if (err || !spec->catalog || !*spec->catalog)
		return err;
	err = codec_owner(json, "catalog_zone", 0, arena, &spec->catalog_name,
	                  &spec->catalog, why);
	return err ? err : catalog_name(&spec->catalog_name, "catalog_zone", why);
}

static enum err pool_get_values(const json_t *json, struct arena *arena,
                                struct pool *pool, struct pool_spec *spec,
                                struct why *why)
{
	const char **hosts;
	enum err err = json_get_text(json, "description", 0, DESCRIPTION_MAX,
	                             &pool->description, why);

	*spec = (struct pool_spec){ .has_ns = !json_is_absent(json, "ns_records") };
	if (!err && spec->has_ns) {
		err = codec_hosts(json, "ns_records", arena, &hosts,
		                  &pool->ns_record_count, why);
		pool->ns_records = hosts;
	}
	if (!err)
		err = attributes_get(json, "attributes", arena, &pool->attributes, why);
	if (!err)
		err = json_get_int(json, "capacity", 0, -1, UINT32_MAX, &pool->capacity,
		                   why);
	return err ? err : pool_get_catalog(json, arena, spec, why);
}

/* The name of a pool is part of the name of a queue: no dots, no blanks. */
static bool pool_name_is_valid(const char *name)
{
	return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
	                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")];
}

enum err codec_pool(const json_t *json, struct arena *arena, struct pool *pool,
                    struct pool_spec *spec, struct why *why)
{
	enum err err = json_only_fields(json, codec_pool_fields, "a pool", why);

	*pool = (struct pool){ .description = "", .attributes = "", .capacity = -1 };
	if (err)
		return err;
	err = json_get_text(json, "name", JSON_REQUIRED, POOL_NAME_MAX, &pool->name, why);
	if (!err && !pool_name_is_valid(pool->name))
		err = fail(why, ERR_INVALID,
		           "name: may contain only letters, digits, '_' and '-', not "
		           "'%s'", err_quote(pool->name, (char[65]){ 0 }, 65));
	if (!err)
		err = pool_get_values(json, arena, pool, spec, why);
	return codec_within("pool", err, why);
}

enum err codec_pool_values(const json_t *json, struct arena *arena, struct pool *pool,
                           struct pool_spec *spec, struct why *why)
{
	enum err err = json_only_changes(json, codec_pool_fields, "a change to a pool",
	                                 why);

	if (err)
		return err;
	return codec_within("values", pool_get_values(json, arena, pool, spec, why), why);
}

json_t *codec_pool_encode(const struct pool *pool)
{
	json_t *hosts = json_array();

	for (size_t i = 0; i < pool->ns_record_count; i++)
		json_array_append_new(hosts, json_string(pool->ns_records[i]));
	return json_pack("{s:s, s:s, s:s, s:o, s:s?, s:o, s:I}", "id", pool->id,
	                 "name", pool->name, "description", pool->description,
	                 "ns_records", hosts, "catalog_zone", pool->catalog_zone,
	                 "attributes", attributes_encode(pool->attributes),
	                 "capacity", (json_int_t)pool->capacity);
}

static bool pool_has_backend(const struct limit_server *servers, size_t count,
                             const char *backend)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(servers[i].backend, backend))
			return true;
	return false;
}

json_t *codec_pool_encode_limits(const struct limit_server *servers, size_t count)
{
	json_t *limits = json_array();

	for (size_t i = 0; i < SERVER_LIMITS; i++) {
		const struct server_limit *limit = &server_limits[i];

		if (pool_has_backend(servers, count, limit->backend))
			json_array_append_new(limits, json_pack("{s:s, s:s, s:s, s:s}",
				"backend", limit->backend, "server", limit->server,
				"limit", limit->takes, "effect",
				server_limit_effect_words(limit->effect)));
	}
	return limits;
}
