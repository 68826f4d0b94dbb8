/*
 * json -- typed getters with range checks, for the JSON values of jansson. Use a field
 * of a message only after a getter has checked it. ERR_INVALID means that the field has
 * a wrong type, is out of range, or is required but missing or null. The reason begins
 * with the key. The JSON value owns the strings that the getters return.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { JSON_REQUIRED = 1 };

/*
 * Decodes BODY, an object without duplicate keys and at most 32 levels deep.
 * ERR_TOO_LARGE: BODY has more than MAX bytes.
 */
enum err json_decode_object(const char *body, size_t len, size_t max, json_t **object,
                            struct why *why);

/* True: OBJECT has no field KEY, or the field is null. */
bool json_is_absent(const json_t *object, const char *key);
/*
 * Each getter reads the field KEY. If the field is absent and not required, INTO is
 * unchanged.
 */
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
/* Reads an id in one of the two forms of id_valid(), and writes 32 hexadecimal digits. */
enum err json_get_id(const json_t *object, const char *key, int flags, char id[33],
                     struct why *why);
/*
 * A field of an object, or an argument of a method. The functions that decode an object
 * refuse unknown fields. docs/rpc.md shows all fields. A list of fields ends with a row
 * of zeroes.
 */
struct json_field {
	const char *name;
	/* the type in words; "[domain]" is an object of the type domain */
	const char *type;
	const char *help;
	/* the value of an absent field; NULL: the field is required */
	const char *fallback;
	/*
	 * maximum of a number, of the octets in a text, or of the items in a list; 0: no
	 * limit
	 */
	int64_t max;
	/*
	 * true: a call that creates the object can set the field; a call that changes
	 * the object cannot
	 */
	bool is_fixed;
};

/* ERR_INVALID: OBJECT has a key that is not in FIELDS. */
enum err json_only_fields(const json_t *object, const struct json_field *fields,
                          const char *what, struct why *why);
/*
 * Like json_only_fields(), but for a change of an object: also returns ERR_INVALID if
 * OBJECT has a field with is_fixed.
 */
enum err json_only_changes(const json_t *object, const struct json_field *fields,
                           const char *what, struct why *why);
