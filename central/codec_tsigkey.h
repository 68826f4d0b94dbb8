/*
 * codec_tsigkey -- TSIG keys from and to JSON. What is shown of a key is
 * without its secret; only get_tsigkey adds it.
 */
#pragma once

#include <jansson.h>

#include "model/json.h"
#include "store.h"

/*
 * What shall be of a key. NULL: a new one has it from central, an old one keeps it. That
 * central shall make another secret is `new_secret: true`: null counts as absent, here as
 * in all other methods.
 */
struct tsigkey_wish {
	const char *name;
	const char *algorithm, *secret;
	bool is_rotated;		/* new_secret */
	bool has_domain;
	struct domain_key domain;
};

extern const struct json_field codec_tsigkey_fields[], codec_tsigkey_change_fields[];
extern const struct json_field codec_tsigkey_shown[];

/* The `tsigkey` of ARGS: an id or a name. */
enum err codec_tsigkey_key(const json_t *args, struct arena *arena,
                           struct tsigkey_key *key, struct why *why);
enum err codec_tsigkey_wish(const json_t *json, struct arena *arena,
                            struct tsigkey_wish *wish, struct why *why);
/* The values of update_tsigkey: what is fixed at creation is refused. */
enum err codec_tsigkey_values(const json_t *json, struct tsigkey_wish *wish,
                              struct why *why);

json_t *codec_tsigkey_encode(const struct tsigkey *key);
