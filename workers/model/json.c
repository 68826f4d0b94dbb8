#include "model/json.h"

#include <inttypes.h>
#include <string.h>

#include "base/id.h"

enum { DEPTH_MAX = 32, KEY_SHOWN = 64 };

/*
 * True: brackets outside of strings are nested at most DEPTH_MAX deep. jansson allows
 * 2048.
 */
static bool json_is_shallow(const char *body, size_t len)
{
	bool in_string = false;
	size_t depth = 0;

	for (size_t i = 0; i < len; i++) {
		char c = body[i];

		if (c == '"')
			in_string = !in_string;
		else if (in_string)
			i += c == '\\';
		else if ((c == '{' || c == '[') && ++depth > DEPTH_MAX)
			return false;
		else if ((c == '}' || c == ']') && depth)
			depth--;
	}
	return true;
}

enum err json_decode_object(const char *body, size_t len, size_t max, json_t **object,
                            struct why *why)
{
	json_error_t error;

	if (len > max)
		return fail(why, ERR_TOO_LARGE, "the message must have at most %zu "
		            "bytes, not %zu", max, len);
	if (!json_is_shallow(body, len))
		return fail(why, ERR_INVALID, "the message must have at most %d levels "
		            "of objects and arrays", DEPTH_MAX);

	json_t *json = json_loadb(body, len, JSON_REJECT_DUPLICATES, &error);

	/* error.text has raw bytes of the message */
	if (!json)
		return fail(why, ERR_INVALID,
		            "the message is not JSON: there is an error at byte %d",
		            error.position);
	if (!json_is_object(json)) {
		json_decref(json);
		return fail(why, ERR_INVALID, "the message must be a JSON object");
	}
	*object = json;
	return OK;
}

static const char *const type_names[] = {
	[JSON_OBJECT]  = "an object",
	[JSON_ARRAY]   = "an array",
	[JSON_STRING]  = "a string",
	[JSON_INTEGER] = "a whole number",
	[JSON_REAL]    = "a number",
	[JSON_TRUE]    = "true or false",
	[JSON_FALSE]   = "true or false",
};

bool json_is_absent(const json_t *object, const char *key)
{
	const json_t *field = json_object_get(object, key);

	return !field || json_is_null(field);
}

/* Reads the field, of TYPE. *value is NULL if it is absent or null, and not required. */
static enum err json_get_field(const json_t *object, const char *key, int flags,
                               json_type type, const json_t **value, struct why *why)
{
	const json_t *field = json_object_get(object, key);

	*value = NULL;
	if (json_is_absent(object, key)) {
		if (flags & JSON_REQUIRED)
			return fail(why, ERR_INVALID, "%s is missing", key);
		return OK;
	}
	if (json_typeof(field) != type && !(type == JSON_TRUE && json_is_false(field)))
		return fail(why, ERR_INVALID, "%s: must be %s, not %s", key,
		            type_names[type], type_names[json_typeof(field)]);
	*value = field;
	return OK;
}

enum err json_get_text(const json_t *object, const char *key, int flags, size_t max_len,
                       const char **into, struct why *why)
{
	const json_t *value;
	enum err err = json_get_field(object, key, flags, JSON_STRING, &value, why);

	if (err || !value)
		return err;
	if (json_string_length(value) > max_len)
		return fail(why, ERR_INVALID, "%s: must have at most %zu bytes, not %zu",
		            key, max_len, json_string_length(value));
	*into = json_string_value(value);
	return OK;
}

enum err json_get_u32(const json_t *object, const char *key, int flags, uint32_t max,
                      uint32_t *into, struct why *why)
{
	int64_t number = *into;
	enum err err = json_get_int(object, key, flags, 0, max, &number, why);

	if (!err)
		*into = number;
	return err;
}

enum err json_get_int(const json_t *object, const char *key, int flags, int64_t min,
                      int64_t max, int64_t *into, struct why *why)
{
	const json_t *value;
	enum err err = json_get_field(object, key, flags, JSON_INTEGER, &value, why);

	if (err || !value)
		return err;

	int64_t number = json_integer_value(value);

	if (number < min || number > max)
		return fail(why, ERR_INVALID, "%s: must be a number from %" PRId64 " to %"
		            PRId64 ", not %" PRId64, key, min, max, number);
	*into = number;
	return OK;
}

enum err json_get_bool(const json_t *object, const char *key, int flags, bool *into,
                       struct why *why)
{
	const json_t *value;
	enum err err = json_get_field(object, key, flags, JSON_TRUE, &value, why);

	if (!err && value)
		*into = json_is_true(value);
	return err;
}

enum err json_get_object(const json_t *object, const char *key, int flags,
                         const json_t **into, struct why *why)
{
	const json_t *value;
	enum err err = json_get_field(object, key, flags, JSON_OBJECT, &value, why);

	if (!err && value)
		*into = value;
	return err;
}

enum err json_get_array(const json_t *object, const char *key, int flags,
                        size_t max_items, const json_t **into, struct why *why)
{
	const json_t *value;
	enum err err = json_get_field(object, key, flags, JSON_ARRAY, &value, why);

	if (err || !value)
		return err;
	if (json_array_size(value) > max_items)
		return fail(why, ERR_INVALID, "%s: must have at most %zu items, not %zu",
		            key, max_items, json_array_size(value));
	*into = value;
	return OK;
}

enum err json_get_id(const json_t *object, const char *key, int flags, char id[33],
                     struct why *why)
{
	const json_t *value;
	enum err err = json_get_field(object, key, flags, JSON_STRING, &value, why);

	if (err || !value)
		return err;
	if (!id_parse(json_string_value(value), id))
		return fail(why, ERR_INVALID, "%s: must be 32 hexadecimal digits in "
		            "lower case, or a UUID with hyphens, not '%s'", key,
		            err_quote(json_string_value(value), (char[81]){ 0 }, 81));
	return OK;
}

static bool json_is_one_of(const char *key, const struct json_field *fields,
                           bool is_change)
{
	for (; fields->name; fields++)
		if (!strcmp(key, fields->name))
			return !is_change || !fields->is_fixed;
	return false;
}

static enum err json_check_keys(const json_t *object, const struct json_field *fields,
                                bool is_change, const char *what, struct why *why)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
		if (!json_is_one_of(key, fields, is_change))
			return fail(why, ERR_INVALID, "%s has no field '%s'", what,
			            strlen(key) <= KEY_SHOWN ? key : "...");
	return OK;
}

enum err json_only_fields(const json_t *object, const struct json_field *fields,
                          const char *what, struct why *why)
{
	return json_check_keys(object, fields, false, what, why);
}

enum err json_only_changes(const json_t *object, const struct json_field *fields,
                           const char *what, struct why *why)
{
	return json_check_keys(object, fields, true, what, why);
}
