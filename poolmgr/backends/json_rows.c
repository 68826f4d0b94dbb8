#include "backends/json_rows.h"

#include <string.h>

#include "model/json.h"

enum { ROW_MAX = 256 * 1024 };

struct json_span json_rows_span(const struct buf *text)
{
	return (struct json_span){ buf_string(text), buf_string(text) + text->len };
}

static const char *json_rows_skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
		at++;
	return at;
}

/* The position after the quotation mark that ends a string, or END. */
static const char *json_rows_text_end(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		if (*at == '\\' && at + 1 < end)
			at++;
	return at < end ? at + 1 : end;
}

/* The position after the value that begins at AT, or END. */
static const char *json_rows_value_end(const char *at, const char *end)
{
	size_t depth = 0;

	while (at < end) {
		if (*at == '"') {
			at = json_rows_text_end(at, end);
			continue;
		}
		if (depth == 0 && strchr(",]}", *at))
			return at;
		if (*at == '{' || *at == '[')
			depth++;
		else if ((*at == '}' || *at == ']') && --depth == 0)
			return at + 1;
		at++;
	}
	return end;
}

/* Reads one member of an object. AT moves past it. */
static enum err json_rows_read_member(const char **at, const char *end,
                                      struct json_span *key, struct json_span *value,
                                      struct why *why)
{
	*key = (struct json_span){ *at, *at };
	if (**at == '"')
		key->end = json_rows_text_end(*at, end);
	*at = json_rows_skip_blanks(key->end);
	if (key->end == key->at || **at != ':')
		return fail(why, ERR_REMOTE, "an object must contain \"KEY\": VALUE");
	value->at = json_rows_skip_blanks(*at + 1);
	value->end = json_rows_value_end(value->at, end);
	*at = json_rows_skip_blanks(value->end);
	return OK;
}

static bool json_rows_is_key(struct json_span text, const char *key)
{
	size_t len = strlen(key);

	return (size_t)(text.end - text.at) == len + 2 && !memcmp(text.at + 1, key, len);
}

enum err json_rows_member(struct json_span object, const char *key, bool *found,
                          struct json_span *value, struct why *why)
{
	const char *at = json_rows_skip_blanks(object.at);
	struct json_span name, member;

	*found = false;
	if (*at != '{')
		return fail(why, ERR_REMOTE, "an object must begin with {");
	at = json_rows_skip_blanks(at + 1);
	if (*at == '}')
		return OK;
	do {
		enum err err = json_rows_read_member(&at, object.end, &name, &member,
		                                     why);

		if (err)
			return err;
		if (json_rows_is_key(name, key)) {
			*value = member;
			*found = true;
			return OK;
		}
	} while (*at == ',' && (at = json_rows_skip_blanks(at + 1)));
	return *at == '}' ? OK : fail(why, ERR_REMOTE, "an object must end with }");
}

static enum err json_rows_read_row(struct json_span text, json_row_fn *row, void *self,
                                   struct why *why)
{
	json_t *json;
	enum err err = json_decode_object(text.at, (size_t)(text.end - text.at), ROW_MAX,
	                                  &json, why);

	if (err)
		return err;
	err = row(self, json, why);
	json_decref(json);
	return err;
}

enum err json_rows_each(struct json_span list, json_row_fn *row, void *self,
                        struct why *why)
{
	const char *at = json_rows_skip_blanks(list.at);
	enum err err = OK;

	if (*at != '[')
		return fail(why, ERR_REMOTE, "a list must begin with [");
	at = json_rows_skip_blanks(at + 1);
	if (*at == ']')
		return OK;
	do {
		struct json_span text = { at, json_rows_value_end(at, list.end) };

		err = json_rows_read_row(text, row, self, why);
		at = json_rows_skip_blanks(text.end);
	} while (!err && *at == ',' && (at = json_rows_skip_blanks(at + 1)));
	if (!err && *at != ']')
		err = fail(why, ERR_REMOTE, "a list must end with ]");
	return err;
}
