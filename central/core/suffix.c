#include "core/suffix.h"

#include <stdbool.h>
#include <string.h>

static bool suffix_is_exception(const char *entry)
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

/* The entries for one name: the name, its exception, and the wildcard beside it. */
static size_t suffix_add_keys(const struct name *name, struct arena *arena,
                              const char **keys)
{
	char text[NAME_MAX_TEXT + 1], above[NAME_MAX_TEXT + 1];
	struct name parent;

	name_parent(name, &parent);
	name_format(name, text);
	name_format(&parent, above);
	keys[0] = arena_strdup(arena, text);
	keys[1] = arena_printf(arena, "*.%s", parent.len > 1 ? above : "");
	if (parent.len == 1)
		return 2;
	keys[2] = arena_printf(arena, "!%s", text);
	return 3;
}

size_t suffix_keys(const struct name *name, struct arena *arena, const char **keys)
{
	struct name at = *name;
	size_t count = 0;

	while (at.len > 1) {
		count += suffix_add_keys(&at, arena, keys + count);
		name_parent(&at, &at);
	}
	return count;
}

/* A label contains no dot, because name_parse_owner() does not allow one. */
static int suffix_labels(const char *entry)
{
	int labels = 0;

	for (const char *at = entry; (at = strchr(at, '.')); at++)
		labels++;
	return labels - suffix_is_exception(entry);
}

/* True: entry A wins over entry B. */
static bool suffix_wins(const char *a, const char *b)
{
	if (suffix_is_exception(a) != suffix_is_exception(b))
		return suffix_is_exception(a);
	return suffix_labels(a) > suffix_labels(b);
}

enum suffix_result suffix_decide(const struct name *name, const char *const *entries,
                                  size_t count)
{
	const char *best = NULL;

	for (size_t i = 0; i < count; i++)
		if (!best || suffix_wins(entries[i], best))
			best = entries[i];
	if (!best)
		return SUFFIX_NO_ENTRY;
	return name_labels(name) > suffix_labels(best) ? SUFFIX_PERMITTED : SUFFIX_ITSELF;
}
