/*
 * codec_domain -- converts domains from and to JSON: the key of a domain, the values of
 * a new, imported or changed domain, and the answer.
 */
#pragma once

#include <jansson.h>

#include "model/json.h"
#include "store.h"

/*
 * The values of a new or changed domain. If a pointer is NULL, or the `has` field of a
 * value is false, the call does not contain the value. In this case, a new domain gets
 * the default value, and an existing domain keeps its value.
 */
struct domain_spec {
	char id[ID_LEN + 1];		/* "": central makes an id */
	const char *owner;		/* the name of the domain, in canonical form */
	struct name name;
	const char *tenant, *pool, *description;
	const char *attributes;		/* text of model/attributes.h */
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
	/* the domain is the catalog zone of its pool; a caller cannot set this value */
	bool is_catalog;
};

/*
 * Tables of the fields of a new domain, of the argument `soa` of apply_changes, and of a
 * domain in an answer.
 */
extern const struct json_field codec_domain_fields[], codec_domain_soa_fields[];
extern const struct json_field codec_domain_shown[];

/* Reads the argument `domain`, which contains the id or the name of a domain. */
enum err codec_domain_key(const json_t *args, struct arena *arena, struct domain_key *key,
                          struct why *why);
/*
 * Reads the values of a new or imported domain. FIELD: the path of the JSON object in the
 * arguments. Reasons begin with this path.
 */
enum err codec_domain_spec(const json_t *json, const char *field, struct arena *arena,
                           struct domain_spec *spec, struct why *why);
/*
 * Reads the argument `values` of update_domain. If the object contains a field that a
 * call can set only at the creation of the domain, the result is ERR_INVALID.
 */
enum err codec_domain_values(const json_t *json, struct arena *arena,
                             struct domain_spec *spec, struct why *why);
/* Reads the argument `soa` of apply_changes. */
enum err codec_domain_soa(const json_t *json, struct arena *arena, struct soa_spec *soa,
                          struct why *why);

json_t *codec_domain_encode(const struct zone *zone, struct arena *arena);
