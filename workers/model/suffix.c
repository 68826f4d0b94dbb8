#include "model/suffix.h"

#include <string.h>

#include "model/name.h"

bool suffix_is_exception(const char *entry)
{
	return entry[0] == '!';
}

static enum err suffix_check(const struct name *name, const char *text,
                             const char *field, struct why *why)
{
	bool is_wildcard = name->wire[0] == 1 && name->wire[1] == '*';

	if (name->len == 1)
		return fail(why, ERR_INVALID, "%s: must not be the root, '.'", field);
	if (suffix_is_exception(text) && (is_wildcard || name_labels(name) < 2))
		return fail(why, ERR_INVALID, "%s: an exception must have two labels or "
		            "more and no '*', such as '!www.ck', not '%.200s'",
		            field, text);
	return OK;
}

enum err suffix_parse(const char *text, const char *field, struct arena *arena,
                      const char **entry, struct why *why)
{
	bool is_exception = suffix_is_exception(text);
	const char *base = text + is_exception;
	size_t len = strlen(base);
	bool has_dot = len && base[len - 1] == '.';
	char canonical[NAME_MAX_TEXT + 1];
	struct name name;
	enum err err = name_parse_owner(arena_printf(arena, "%s%s", base,
	                                             has_dot ? "" : "."),
	                                field, &name, why);

	if (!err)
		err = suffix_check(&name, text, field, why);
	if (err)
		return err;
	name_format(&name, canonical);
	*entry = arena_printf(arena, "%s%s", is_exception ? "!" : "", canonical);
	return OK;
}
