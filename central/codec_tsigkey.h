/*
 * codec_tsigkey -- converts TSIG keys from and to JSON. Only the answer of get_tsigkey
 * contains the secret.
 */
#pragma once

#include <jansson.h>

#include "model/json.h"
#include "store.h"

/*
 * The values of a new or changed key. NULL: a new key gets the default value; an
 * existing key keeps its value.
 */
struct tsigkey_spec {
	const char *name;
	const char *algorithm, *secret;
	bool is_rotated;		/* the call requests a new secret */
	bool has_domain;
	struct domain_key domain;
};

extern const struct json_field codec_tsigkey_fields[], codec_tsigkey_change_fields[];
extern const struct json_field codec_tsigkey_shown[];

/* Reads the `tsigkey` of ARGS: an id or a name. */
enum err codec_tsigkey_key(const json_t *args, struct arena *arena,
                           struct tsigkey_key *key, struct why *why);
enum err codec_tsigkey_spec(const json_t *json, struct arena *arena,
                            struct tsigkey_spec *spec, struct why *why);
/* Reads the `values` of update_tsigkey. Refuses fields that are fixed at creation. */
enum err codec_tsigkey_values(const json_t *json, struct tsigkey_spec *spec,
                              struct why *why);

json_t *codec_tsigkey_encode(const struct tsigkey *key);
