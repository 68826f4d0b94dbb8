/*
 * codec_domain -- domains from and to JSON: how one is named, what one shall
 * be at its creation, by an import or after a change, and what is shown.
 */
#pragma once

#include <jansson.h>

#include "model/json.h"
#include "store.h"

/* A domain as someone wishes it to be; NULL and `has` say what is left to defaults. */
struct domain_wish {
	char id[ID_LEN + 1];		/* "": central makes one */
	const char *owner;		/* its name, canonical */
	struct name name;
	const char *tenant, *pool, *description;
	struct soa_wish soa;
	bool has_ttl;
	uint32_t ttl;
	const char **ns;
	size_t ns_count;
	/* Of an imported zone: taken if it is newer than any before. */
	bool has_serial;
	uint32_t serial;
	bool is_catalog;		/* of its pool; no caller's wish */
};

/* As callers give it, the `soa` of apply_changes, and as it is shown. */
extern const struct json_field codec_domain_fields[], codec_domain_soa_fields[];
extern const struct json_field codec_domain_shown[];

/* The `domain` of ARGS: an id or a name. */
enum err codec_domain_key(const json_t *args, struct arena *arena, struct domain_key *key,
                          struct why *why);
/* FIELD is how the caller calls the object. */
enum err codec_domain_wish(const json_t *json, const char *field, struct arena *arena,
                           struct domain_wish *wish, struct why *why);
/* The values of update_domain: what is fixed at creation is refused. */
enum err codec_domain_values(const json_t *json, struct arena *arena,
                             struct domain_wish *wish, struct why *why);
/* The `soa` of apply_changes. */
enum err codec_domain_soa(const json_t *json, struct arena *arena, struct soa_wish *soa,
                          struct why *why);

json_t *codec_domain_encode(const struct zone *zone, struct arena *arena);
