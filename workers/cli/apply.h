/*
 * apply -- parses many changes from one file: a JSON list in the form that central
 * accepts, or lines of `add|set|delete NAME TTL TYPE DATA`. The parser does no I/O.
 */
#pragma once

#include <jansson.h>

#include "base/err.h"
#include "quote.h"

/*
 * Appends the changes to CHANGES. The DATA of a line is one value (quote.h); the JSON
 * list stays as it is. Modifies TEXT. ERR_INVALID: *why names the line. ERR_TOO_LARGE:
 * TEXT contains more changes than central accepts in one call.
 */
enum err apply_parse(char *text, const char *domain, json_t *changes,
                     struct quotes *quotes, struct why *why);
