#include "model/identity.h"

#include <stdbool.h>
#include <string.h>

#include "model/json.h"

static bool identity_is_utf8(const char *text, size_t len)
{
	json_t *json = json_stringn(text, len);	/* jansson checks it */

	json_decref(json);
	return json != NULL;
}

/* C0 and DEL; C1, which is C2 80 to C2 9F in UTF-8. */
static bool identity_has_control(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	for (; *at; at++)
		if (*at < ' ' || *at == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0))
			return true;
	return false;
}

enum err identity_check(const char *text, const char *field, struct why *why)
{
	size_t len = strlen(text);

	if (!len)
		return fail(why, ERR_INVALID, "%s: must not be empty", field);
	if (len > IDENTITY_MAX)
		return fail(why, ERR_INVALID, "%s: must have at most %d bytes, not %zu",
		            field, IDENTITY_MAX, len);
	if (identity_has_control(text))
		return fail(why, ERR_INVALID, "%s: must not contain a control character",
		            field);
	if (!identity_is_utf8(text, len))
		return fail(why, ERR_INVALID, "%s: must be UTF-8", field);
	if (text[0] == ' ' || text[len - 1] == ' ')
		return fail(why, ERR_INVALID, "%s: '%s' must not begin or end with a "
		            "blank",
		            field, text);
	return OK;
}

enum err identity_get(const json_t *json, const char *key, const char **into,
                      struct why *why)
{
	const char *text = "";
	enum err err = json_get_text(json, key, 0, IDENTITY_MAX, &text, why);

	if (!err && *text)
		err = identity_check(text, key, why);
	if (!err && json_string_value(json_object_get(json, key)))
		*into = text;
	return err;
}
