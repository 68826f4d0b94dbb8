/*
 * codec_tsigkey -- converts TSIG keys from and to JSON. Only the answer of get_tsigkey
 * contains the secret.
 */
#pragma once

#include <jansson.h>

#include "model/json.h"
#include "store.h"

/*
 * The values of a new or changed key. If a pointer is NULL, a new key gets the default
 * value, and an existing key keeps its value.
 */
struct tsigkey_spec {
	const char *name;
	const char *algorithm, *secret;
	/* the caller wants central to make a new secret */
	bool is_rotated;
	bool has_domain;
	struct domain_key domain;
};

extern const struct json_field codec_tsigkey_fields[], codec_tsigkey_change_fields[];
extern const struct json_field codec_tsigkey_shown[];

/* Reads the argument `tsigkey`, which contains the id or the name of a key. */
enum err codec_tsigkey_key(const json_t *args, struct arena *arena,
                           struct tsigkey_key *key, struct why *why);
enum err codec_tsigkey_spec(const json_t *json, struct arena *arena,
                            struct tsigkey_spec *spec, struct why *why);
/*
 * Reads the argument `values` of update_tsigkey. If the object contains a field that a
 * call can set only at the creation of the key, the result is ERR_INVALID.
 */
enum err codec_tsigkey_values(const json_t *json, struct tsigkey_spec *spec,
                              struct why *why);

json_t *codec_tsigkey_encode(const struct tsigkey *key);
