/*
 * codec_domain -- converts domains from and to JSON: the key of a domain, the values of
 * a new, imported or changed domain, and the answer.
 */
#pragma once

#include <jansson.h>

#include "model/json.h"
#include "store.h"

/*
 * The values of a new or changed domain. NULL, or `has` is false: a new domain gets the
 * default value; an existing domain keeps its value.
 */
struct domain_spec {
	char id[ID_LEN + 1];		/* "": central makes an id */
	const char *owner;		/* the name, canonical */
	struct name name;
	const char *tenant, *pool, *description;
	struct soa_spec soa;
	bool has_ttl;
	uint32_t ttl;
	const char **ns;
	size_t ns_count;
	/*
	 * serial of an imported zone; central uses this serial if it is newer than all
	 * earlier serials of the domain
	 */
	bool has_serial;
	uint32_t serial;
	/* the domain is the catalog zone of its pool; callers cannot set it */
	bool is_catalog;
};

/* The fields of a new domain, of the `soa` of apply_changes, and of an answer. */
extern const struct json_field codec_domain_fields[], codec_domain_soa_fields[];
extern const struct json_field codec_domain_shown[];

/* Reads the `domain` of ARGS: an id or a name. */
enum err codec_domain_key(const json_t *args, struct arena *arena, struct domain_key *key,
                          struct why *why);
/*
 * Reads the values of a new or imported domain. FIELD: the path of the object in the
 * arguments, for reasons.
 */
enum err codec_domain_spec(const json_t *json, const char *field, struct arena *arena,
                           struct domain_spec *spec, struct why *why);
/* Reads the `values` of update_domain. Refuses fields that are fixed at creation. */
enum err codec_domain_values(const json_t *json, struct arena *arena,
                             struct domain_spec *spec, struct why *why);
/* Reads the `soa` of apply_changes. */
enum err codec_domain_soa(const json_t *json, struct arena *arena, struct soa_spec *soa,
                          struct why *why);

json_t *codec_domain_encode(const struct zone *zone, struct arena *arena);
