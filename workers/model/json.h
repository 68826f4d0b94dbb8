/*
 * json -- typed, range-checked getters over jansson. A message is not trusted until one
 * of these has read each field. The reason begins with the key. ERR_INVALID: a wrong type
 * or range, or a required field that is missing or null. Texts are borrowed from the JSON
 * value.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { JSON_REQUIRED = 1 };

/* Decode BODY: an object, no duplicate keys, depth 32. ERR_TOO_LARGE above MAX bytes. */
enum err json_decode_object(const char *body, size_t len, size_t max, json_t **object,
                            struct why *why);

/* If the field is absent and not required, *into stays unchanged. */
enum err json_get_text(const json_t *object, const char *key, int flags, size_t max_len,
                       const char **into, struct why *why);
enum err json_get_u32(const json_t *object, const char *key, int flags, uint32_t max,
                      uint32_t *into, struct why *why);
enum err json_get_int(const json_t *object, const char *key, int flags, int64_t min,
                      int64_t max, int64_t *into, struct why *why);
enum err json_get_bool(const json_t *object, const char *key, int flags, bool *into,
                       struct why *why);
enum err json_get_object(const json_t *object, const char *key, int flags,
                         const json_t **into, struct why *why);
enum err json_get_array(const json_t *object, const char *key, int flags,
                        size_t max_items, const json_t **into, struct why *why);
/* An id in either form, into 32 hex digits. */
enum err json_get_id(const json_t *object, const char *key, int flags, char id[33],
                     struct why *why);
/*
 * A field of an object, or an argument of a method. The codecs refuse an object that has
 * others; docs/rpc.md shows them all. A list of fields ends with a row of zeroes.
 */
struct json_field {
	const char *name;
	const char *type;	/* in words; "[domain]" is an object of this name */
	const char *help;
	const char *fallback;	/* the value of an absent field; NULL: it is required */
	int64_t max;		/* a number, or octets of a text, items of a list; 0: none */
	bool is_fixed;		/* set at the creation, and never changed */
};

/* Any key of OBJECT that is not one of FIELDS is ERR_INVALID. */
enum err json_only_fields(const json_t *object, const struct json_field *fields,
                          const char *what, struct why *why);
/* The same for a change of an existing object: fixed fields are ERR_INVALID, too. */
enum err json_only_changes(const json_t *object, const struct json_field *fields,
                           const char *what, struct why *why);
