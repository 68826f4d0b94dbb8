/*
 * regex -- regular expressions that a user writes, searched in short texts such as the
 * names of domains. Only regex.c includes PCRE2.
 *
 * A search is bounded. PCRE2 follows all alternatives at the same time and never goes
 * back (pcre2_dfa_match). A search ends when it has used REGEX_LIMIT_US of processor
 * time. regex.c refuses patterns with back-references, recursion, conditions and verbs. A
 * search ignores upper and lower case, and is not anchored.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"

enum {
	REGEX_MAX = 255,
	REGEX_TEXT_MAX = 255,
	REGEX_LIMIT_US = 10 * 1000,	/* one search */
	REGEX_BUDGET_US = 50 * 1000,	/* all searches in a text */
};

struct regex;

enum regex_result {
	REGEX_ABSENT,	/* the text does not contain a match */
	REGEX_FOUND,
	REGEX_STOPPED,	/* the search reached a limit and was not complete */
};

/*
 * Compiles PATTERN, 1 to REGEX_MAX printable ASCII characters. ERR_INVALID: the pattern
 * is not valid or not supported. The reason begins with FIELD, and contains the offset
 * and the words of PCRE2. On success, free the result with regex_free().
 */
enum err regex_new(const char *pattern, const char *field, struct regex **regex,
                   struct why *why);
void regex_free(struct regex **regex);
/*
 * Searches TEXT, at most REGEX_TEXT_MAX octets. A longer text is REGEX_STOPPED. The
 * search also ends when it has used LEFT_US of processor time. LEFT_US then contains the
 * rest. Begin with REGEX_BUDGET_US, to bound the searches of many patterns in one text.
 */
enum regex_result regex_search(const struct regex *regex, const char *text,
                               int64_t *left_us);
/*
 * Checks a new pattern: compiles the pattern, and searches long names that are difficult
 * for it. ERR_INVALID: as in regex_new(), or a search needs too much memory or time.
 */
enum err regex_check(const char *pattern, const char *field, struct why *why);
