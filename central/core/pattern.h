/*
 * pattern -- a name, or a pattern for names, in the criterion of a find_* method.
 *
 * Upper case and lower case letters match each other. Each `*` matches zero or more
 * characters. `\*` is the character `*` in a name. A text that ends neither in a dot nor
 * in a `*` gets a final dot.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

enum { PATTERN_STARS_MAX = 8 };

struct pattern {
	/* the stored form of a name, or a text for LIKE; NULL: matches all names */
	const char *text;
	bool is_like;		/* true: compare with LIKE text ESCAPE '!' */
};

/*
 * Converts a name or a pattern of a caller to PATTERN. ERR_INVALID: TEXT has more than
 * PATTERN_STARS_MAX `*`. Several `*` in a row count as one. The reason begins with FIELD.
 */
enum err pattern_parse(const char *text, const char *field, struct arena *arena,
                       struct pattern *pattern, struct why *why);
