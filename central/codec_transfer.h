/*
 * codec_transfer -- converts transfer requests from and to JSON. No answer contains the
 * key or its hash.
 */
#pragma once

#include <jansson.h>

#include "model/json.h"
#include "store_transfer.h"

/*
 * The values of a new or changed request. If a pointer is NULL, a new request gets the
 * default value, and an existing request keeps its value.
 */
struct transfer_spec {
	struct domain_key domain;
	const char *target_tenant;	/* "": each tenant with the key */
	const char *key_hash, *description;
	int64_t expires_s;		/* time from now until the request expires */
};

extern const struct json_field codec_transfer_fields[], codec_transfer_change_fields[];
extern const struct json_field codec_transfer_shown[], codec_transfer_find_fields[];

enum err codec_transfer_spec(const json_t *json, struct arena *arena,
                             struct transfer_spec *spec, struct why *why);
/* Reads the argument `values` of update_transfer: target_tenant and description. */
enum err codec_transfer_values(const json_t *json, struct transfer_spec *spec,
                               struct why *why);
/*
 * Reads the argument `key` of accept_transfer. Writes its SHA-256 to HASH as hexadecimal
 * digits.
 */
enum err codec_transfer_key(const json_t *args, char hash[TRANSFER_HASH_LEN + 1],
                            struct why *why);
enum err codec_transfer_criterion(const json_t *args, struct arena *arena,
                                  struct transfer_criterion *criterion,
                                  struct why *why);

json_t *codec_transfer_encode(const struct transfer *transfer);
