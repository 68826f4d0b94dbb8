#include "core/suffix.h"

#include <stdbool.h>
#include <string.h>

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
