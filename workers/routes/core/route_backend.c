#include "core/route_backend.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SHOWN = 190 };		/* of a route's name, in its default */

static const char *pattern_next(const char *text, size_t *len)
{
	text += strspn(text, " ");
	*len = strcspn(text, " ");
	return text;
}

enum err route_backend_check_patterns(const char *patterns, const char *field,
                                      struct why *why)
{
	size_t len, count = 0;

	for (const char *at = pattern_next(patterns, &len); len;
	     at = pattern_next(at + len, &len)) {
		const char *star = memchr(at, '*', len);

		count++;
		if (star && memchr(star + 1, '*', len - (size_t)(star + 1 - at)))
			return fail(why, ERR_INVALID, "%s: '%.*s' contains more than one "
			            "*: use at most one *", field, (int)len, at);
	}
	if (!count)
		return fail(why, ERR_INVALID, "%s: must contain at least one pattern, "
		            "for example \"*\" for all", field);
	return OK;
}

void route_backend_default(const char *namespace, const char *name,
                           char backend[BACKEND_MAX + 1])
{
	snprintf(backend, BACKEND_MAX + 1, "%.*s_%.*s", ROUTE_LABEL_MAX, namespace,
	         NAME_SHOWN, name);
}

struct pattern_owner {
	const char *namespace, *project;
};

/* NULL: PATTERN does not start with a word. */
static const char *pattern_word_value(const struct pattern_owner *owner,
                                      const char *pattern, size_t len, size_t *word_len)
{
	const struct {
		const char *word, *value;
	} words[] = { { "NAMESPACE", owner->namespace }, { "PROJECT", owner->project } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		*word_len = strlen(words[i].word);
		if (len >= *word_len && !memcmp(pattern, words[i].word, *word_len))
			return words[i].value;
	}
	return NULL;
}

/* A pattern has at most one "*", so the recursion is as deep as the pattern is long. */
static bool pattern_matches(const struct pattern_owner *owner, const char *pattern,
                            size_t len, const char *text)
{
	size_t word_len;
	const char *value;

	if (!len)
		return !*text;
	if (*pattern == '*') {
		do
			if (pattern_matches(owner, pattern + 1, len - 1, text))
				return true;
		while (*text++);
		return false;
	}
	value = pattern_word_value(owner, pattern, len, &word_len);
	if (!value)
		return *text == *pattern && pattern_matches(owner, pattern + 1, len - 1,
		                                            text + 1);
	return *value && !strncmp(text, value, strlen(value)) &&
	       pattern_matches(owner, pattern + word_len, len - word_len,
	                       text + strlen(value));
}

static bool pattern_any_matches(const struct pattern_owner *owner, const char *patterns,
                                const char *text)
{
	size_t len;

	for (const char *at = pattern_next(patterns, &len); len;
	     at = pattern_next(at + len, &len))
		if (pattern_matches(owner, at, len, text))
			return true;
	return false;
}

bool route_backend_matches(const char *patterns, const char *namespace,
                           const char *project, const char *backend)
{
	const struct pattern_owner owner = { namespace, project };

	return pattern_any_matches(&owner, patterns, backend);
}

bool route_backend_allows_namespace(const char *patterns, const char *project,
                                    const char *namespace)
{
	const struct pattern_owner owner = { "", project };

	return pattern_any_matches(&owner, patterns, namespace);
}
