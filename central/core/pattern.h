/*
 * pattern -- a name, or a pattern for names, in the criterion of a find_* method.
 *
 * Upper case letters and lower case letters are equal. Each `*` matches zero or more
 * characters. `\*` is the character `*` in a name. A text that ends neither in a dot nor
 * in a `*` gets a final dot.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

enum { PATTERN_STARS_MAX = 8 };

struct pattern {
	/* the stored form of a name, or a text for LIKE; NULL: any */
	const char *text;
	bool is_like;		/* LIKE text ESCAPE '!' */
};

/* ERR_INVALID: the pattern has more than PATTERN_STARS_MAX `*`. */
enum err pattern_parse(const char *text, const char *field, struct arena *arena,
                       struct pattern *pattern, struct why *why);
