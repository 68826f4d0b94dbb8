#include "model/attributes.h"

#include <string.h>
#include <strings.h>

#include "model/identity.h"
#include "model/json.h"

#define KEY_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" \
	"0123456789_-.:/"

static enum err attribute_check_key(const char *key, const char *field, struct why *why)
{
	size_t len = strlen(key);

	if (len && len <= ATTRIBUTE_KEY_MAX && !key[strspn(key, KEY_CHARACTERS)])
		return OK;
	return fail(why, ERR_INVALID,
	            "%s: each key must have 1 to %d letters, digits or characters of "
	            "'_-.:/', not '%s'", field, ATTRIBUTE_KEY_MAX,
	            err_quote(key, (char[65]){ 0 }, 65));
}

static enum err attribute_check_value(const char *key, const json_t *value,
                                      const char *field, struct why *why)
{
	char path[160];

	if (!json_is_string(value))
		return fail(why, ERR_INVALID, "%s: the value of '%s' must be a string",
		            field, key);
	if (json_string_length(value) > ATTRIBUTE_VALUE_MAX)
		return fail(why, ERR_INVALID,
		            "%s: the value of '%s' must have at most %d bytes, not %zu",
		            field, key, ATTRIBUTE_VALUE_MAX, json_string_length(value));
	snprintf(path, sizeof path, "%s: the value of '%s'", field, key);
	return identity_check(json_string_value(value), path, why);
}

static enum err attributes_check(const json_t *object, const char *field, struct why *why)
{
	const char *key;
	json_t *value;
	enum err err = OK;

	if (json_object_size(object) > ATTRIBUTES_MAX)
		return fail(why, ERR_INVALID, "%s: must have at most %d attributes, not "
		            "%zu", field, ATTRIBUTES_MAX, json_object_size(object));
	json_object_foreach((json_t *)object, key, value) {
		if (!err)
			err = attribute_check_key(key, field, why);
		if (!err)
			err = attribute_check_value(key, value, field, why);
	}
	return err;
}

enum err attributes_get(const json_t *json, const char *key, struct arena *arena,
                        const char **text, struct why *why)
{
	const json_t *object = NULL;
	enum err err = json_get_object(json, key, 0, &object, why);
	char *dump;

	if (!err && object)
		err = attributes_check(object, key, why);
	if (err || !object)
		return err;
	dump = json_object_size(object) ? json_dumps(object, JSON_COMPACT |
	                                             JSON_SORT_KEYS) : NULL;
	*text = arena_strdup(arena, dump ? dump : "");
	free(dump);
	if (strlen(*text) > ATTRIBUTES_TEXT_MAX)
		return fail(why, ERR_INVALID,
		            "%s: must have at most %d bytes as JSON, not %zu", key,
		            ATTRIBUTES_TEXT_MAX, strlen(*text));
	return OK;
}

json_t *attributes_encode(const char *text)
{
	json_t *json = *text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL)
	                     : json_object();

	if (json_is_object(json))
		return json;
	json_decref(json);
	return NULL;
}

bool attributes_parse(const char *text, struct arena *arena, struct attributes *into)
{
	json_t *json = attributes_encode(text), *value;
	struct attribute *items;
	size_t count = 0;
	const char *key;

	if (!json)
		return false;
	items = arena_alloc(arena, json_object_size(json) * sizeof(*items));
	json_object_foreach(json, key, value)
		if (json_is_string(value))
			items[count++] = (struct attribute){
				arena_strdup(arena, key),
				arena_strdup(arena, json_string_value(value)),
			};
	*into = (struct attributes){ items, count };
	json_decref(json);
	return true;
}

const char *attributes_value(const struct attributes *attributes, const char *key)
{
	for (size_t i = 0; i < attributes->count; i++)
		if (!strcmp(attributes->items[i].key, key))
			return attributes->items[i].value;
	return NULL;
}

/* 1: a word for true; 0: a word for false; -1: another text. */
static int attribute_truth(const char *value)
{
	static const char *const words[] = { "false", "true", "f", "t", "no", "yes",
	                                     "n", "y", "off", "on", "0", "1" };

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (!strcasecmp(value, words[i]))
			return i % 2;
	return -1;
}

static bool attribute_equals(const char *a, const char *b)
{
	int truth = attribute_truth(a);

	return !strcmp(a, b) || (truth >= 0 && truth == attribute_truth(b));
}

bool attributes_cover(const struct attributes *has, const struct attributes *wants)
{
	for (size_t i = 0; i < wants->count; i++) {
		const char *value = attributes_value(has, wants->items[i].key);

		if (!value || !attribute_equals(value, wants->items[i].value))
			return false;
	}
	return true;
}
