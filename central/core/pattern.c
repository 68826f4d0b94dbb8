#include "core/pattern.h"

#include <string.h>

/*
 * Takes the next octet, or an escaped octet, of *text: at most two octets in UNIT, which
 * ends with NUL. An escaped star is the octet `*` alone, as in stored names. True: UNIT
 * is a star that matches any characters.
 */
static bool pattern_next(const char **text, char unit[3])
{
	const char *at = *text;
	bool is_pair = at[0] == '\\' && at[1];

	*text = at + 1 + is_pair;
	if (!is_pair && at[0] == '*')
		return true;
	if (is_pair && at[1] == '*') {
		at++;
		is_pair = false;
	}
	unit[0] = at[0];
	unit[1] = is_pair ? at[1] : '\0';
	unit[2] = '\0';
	return false;
}

static char *pattern_put_lower(char *to, const char *unit)
{
	for (; *unit; unit++)
		*to++ = *unit >= 'A' && *unit <= 'Z' ? *unit + 'a' - 'A' : *unit;
	return to;
}

/* Escapes the wildcards of LIKE and the escape character. */
static char *pattern_put_like(char *to, const char *unit)
{
	for (; *unit; unit++) {
		if (strchr("%_!", *unit))
			*to++ = '!';
		to = pattern_put_lower(to, (char[]){ *unit, '\0' });
	}
	return to;
}

/* The number of stars that match any characters. Several in a row count as one. */
static size_t pattern_count_stars(const char *text)
{
	bool is_star = false, was_star;
	size_t count = 0;
	char unit[3];

	while (*text) {
		was_star = is_star;
		is_star = pattern_next(&text, unit);
		count += is_star && !was_star;
	}
	return count;
}

static void pattern_write(const char *text, bool is_like, char *to)
{
	bool is_star = false, was_star;
	char unit[3] = "";

	while (*text) {
		was_star = is_star;
		is_star = pattern_next(&text, unit);
		if (is_star && !was_star)
			*to++ = '%';
		else if (!is_star)
			to = is_like ? pattern_put_like(to, unit)
			             : pattern_put_lower(to, unit);
	}
	if (!is_star && strcmp(unit, "."))
		*to++ = '.';
	*to = '\0';
}

enum err pattern_parse(const char *text, const char *field, struct arena *arena,
                       struct pattern *pattern, struct why *why)
{
	size_t stars = pattern_count_stars(text);
	char *into = arena_alloc(arena, 2 * strlen(text) + 2);

	if (stars > PATTERN_STARS_MAX)
		return fail(why, ERR_INVALID, "%s: must have at most %d '*', not %zu",
		            field, PATTERN_STARS_MAX, stars);
	pattern_write(text, stars > 0, into);
	*pattern = (struct pattern){ .text = into, .is_like = stars > 0 };
	return OK;
}
