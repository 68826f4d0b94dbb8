/*
 * codec_domain -- domains from and to JSON: the key of a domain, the values of a new,
 * imported or changed one, and the answer.
 */
#pragma once

#include <jansson.h>

#include "model/json.h"
#include "store.h"

/* The values of a new or changed domain. NULL, or `has` is false: the default. */
struct domain_spec {
	char id[ID_LEN + 1];		/* "": central makes one */
	const char *owner;		/* its name, canonical */
	struct name name;
	const char *tenant, *pool, *description;
	struct soa_spec soa;
	bool has_ttl;
	uint32_t ttl;
	const char **ns;
	size_t ns_count;
	/* of an imported zone; used if it is newer than each earlier one */
	bool has_serial;
	uint32_t serial;
	bool is_catalog;		/* of its pool; never from a caller */
};

/* The fields of a new domain, of the `soa` of apply_changes, and of an answer. */
extern const struct json_field codec_domain_fields[], codec_domain_soa_fields[];
extern const struct json_field codec_domain_shown[];

/* The `domain` of ARGS: an id or a name. */
enum err codec_domain_key(const json_t *args, struct arena *arena, struct domain_key *key,
                          struct why *why);
/* FIELD: the path of the object in the arguments. */
enum err codec_domain_spec(const json_t *json, const char *field, struct arena *arena,
                           struct domain_spec *spec, struct why *why);
/* The `values` of update_domain. Refuses fields that are fixed at the creation. */
enum err codec_domain_values(const json_t *json, struct arena *arena,
                             struct domain_spec *spec, struct why *why);
/* The `soa` of apply_changes. */
enum err codec_domain_soa(const json_t *json, struct arena *arena, struct soa_spec *soa,
                          struct why *why);

json_t *codec_domain_encode(const struct zone *zone, struct arena *arena);
