#include "base/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

enum {
	/*
	 * integers; six for each alternative that PCRE2 follows at the same time. ".+a"
	 * has an alternative for each octet of the text
	 */
	WORKSPACE = 6 * 600,
	MATCH_LIMIT = 2000,	/* lookarounds that one search may evaluate */
	DEPTH_LIMIT = 8,	/* lookarounds inside each other */
	HEAP_LIMIT_KIB = 64,
	NEST_LIMIT = 32,	/* parentheses inside each other */
	PROBE_LETTERS = 4,
	WORDS_MAX = 120,
};

/*
 * The anchored pattern searches the whole text in one pass. Without this prefix, PCRE2
 * would start again at each octet.
 */
#define BEFORE "(?s:.*?)(?:"
#define AFTER ")"

struct regex {
	pcre2_code *code;
	pcre2_match_context *limits;
	pcre2_match_data *data;
};

/* ---- syntax ---- */

/*
 * PCRE2 accepts these forms, but pcre2_dfa_match() does not support them, or they would
 * apply to BEFORE.
 */
static const struct {
	const char *form, *name;
} unsupported[] = {
	{ "(*",   "a verb" },
	{ "(?(",  "a condition" },
	{ "(?C",  "a callout" },
	{ "(?[",  "an extended class" },
	{ "(?R",  "a recursion" },
	{ "(?&",  "a recursion" },
	{ "(?+",  "a recursion" },
	{ "(?P>", "a recursion" },
	{ "(?P=", "a back-reference" },
	{ "\\k",  "a back-reference" },
	{ "\\g",  "a back-reference" },
	{ "\\K",  "\\K" },
	{ "\\C",  "\\C" },
	{ "\\Q",  "\\Q" },
};

/* NULL: PCRE2 supports the form at AT. */
static const char *regex_unsupported(const char *at)
{
	for (size_t i = 0; i < sizeof unsupported / sizeof unsupported[0]; i++)
		if (!strncmp(at, unsupported[i].form, strlen(unsupported[i].form)))
			return unsupported[i].name;
	if (strncmp(at, "(?", 2))
		return NULL;
	at += 2;
	return isdigit((unsigned char)at[at[0] == '-']) ? "a recursion" : NULL;
}

/* "(?xx)": PCRE2 ignores blanks in classes, so "[ ]" has another end. */
static bool regex_has_blank_classes(const char *pattern)
{
	for (const char *at = pattern; (at = strstr(at, "(?")); at += 2) {
		const char *more = strstr(at + 2, "xx");

		if (more && (size_t)(more - (at + 2)) <= strspn(at + 2, "^-JUimnsx"))
			return true;
	}
	return false;
}

/* "\\c" takes one more character: "\\c[" does not begin a class. */
static const char *regex_skip_escape(const char *at)
{
	size_t len = at[1] == 'c' ? 3 : 2;

	return at + strnlen(at, len);
}

/* Skips a named class such as "[:alpha:]". Returns AT if it is not such a class. */
static const char *regex_skip_named_class(const char *at)
{
	const char *end;

	if (strncmp(at, "[:", 2))
		return at;
	end = at + 2 + (at[2] == '^');
	end += strspn(end, "abcdefghijklmnopqrstuvwxyz");
	return strncmp(end, ":]", 2) ? at : end + 2;
}

/* A first "]" does not end the class. PCRE2 ignores "\\E" before this "]". */
static const char *regex_begin_class(const char *at)
{
	at++;
	while (!strncmp(at, "\\E", 2))
		at += 2;
	at += *at == '^';
	while (!strncmp(at, "\\E", 2))
		at += 2;
	return at + (*at == ']');
}

/* Returns the end of the class, or the "\\Q" in it. */
static const char *regex_skip_class(const char *at)
{
	at = regex_begin_class(at);
	while (*at && *at != ']' && strncmp(at, "\\Q", 2)) {
		const char *end = regex_skip_named_class(at);

		at = end > at ? end : *at == '\\' ? regex_skip_escape(at) : at + 1;
	}
	return at + (*at == ']');
}

/* Skips an escape, a comment, a class or another character. */
static const char *regex_skip_item(const char *at, bool has_blank_classes)
{
	if (*at == '\\')
		return regex_skip_escape(at);
	if (has_blank_classes)
		return at + 1;
	if (!strncmp(at, "(?#", 3))
		return at + strcspn(at, ")");
	return *at == '[' ? regex_skip_class(at) : at + 1;
}

static enum err regex_check_forms(const char *pattern, const char *field,
                                  struct why *why)
{
	bool has_blank_classes = regex_has_blank_classes(pattern);

	for (const char *at = pattern; *at;
	     at = regex_skip_item(at, has_blank_classes)) {
		const char *name = regex_unsupported(at);

		if (name)
			return fail(why, ERR_INVALID, "%s: must not contain %s, but has "
			            "one at offset %zu", field, name,
			            (size_t)(at - pattern));
	}
	return OK;
}

static enum err regex_check_text(const char *pattern, const char *field, struct why *why)
{
	size_t len = strlen(pattern);

	if (!len || len > REGEX_MAX)
		return fail(why, ERR_INVALID, "%s: must have 1 to %d characters, not "
		            "%zu", field, REGEX_MAX, len);
	for (size_t i = 0; i < len; i++)
		if (pattern[i] < ' ' || pattern[i] > '~')
			return fail(why, ERR_INVALID, "%s: must contain only printable "
			            "ASCII characters, but has another one at offset "
			            "%zu", field, i);
	return regex_check_forms(pattern, field, why);
}

/* ---- compile ---- */

static pcre2_code *regex_compile(const char *text, uint32_t options, int *error,
                                 size_t *offset)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	pcre2_code *code;

	if (!context)
		fatal("no memory for a regular expression");
	pcre2_set_parens_nest_limit(context, NEST_LIMIT);
	code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
	                     PCRE2_ANCHORED | PCRE2_AUTO_CALLOUT | PCRE2_CASELESS |
	                     PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | options,
	                     error, offset, context);
	pcre2_compile_context_free(context);
	return code;
}

static enum err regex_fail_compile(const char *field, int error, size_t offset,
                                   struct why *why)
{
	char words[WORDS_MAX];

	pcre2_get_error_message(error, (PCRE2_UCHAR *)words, sizeof words);
	return fail(why, ERR_INVALID, "%s: not a valid regular expression: at offset "
	            "%zu: %s", field, offset, words);
}

/* "a)|(b" is valid between BEFORE and AFTER, but not alone. */
static enum err regex_check_alone(const char *pattern, const char *field,
                                  struct why *why)
{
	size_t offset;
	int error;
	pcre2_code *code = regex_compile(pattern, 0, &error, &offset);

	if (!code)
		return regex_fail_compile(field, error, offset, why);
	pcre2_code_free(code);
	return OK;
}

static enum err regex_compile_whole(const char *pattern, const char *field,
                                    uint32_t options, pcre2_code **code,
                                    struct why *why)
{
	char *whole = xprintf(BEFORE "%s" AFTER, pattern);
	size_t offset;
	int error;

	*code = regex_compile(whole, options, &error, &offset);
	free(whole);
	if (*code)
		return OK;
	offset = offset > strlen(BEFORE) ? offset - strlen(BEFORE) : 0;
	return regex_fail_compile(field, error, offset, why);
}

static enum err regex_check_references(const pcre2_code *code, const char *field,
                                       struct why *why)
{
	uint32_t highest = 0;

	pcre2_pattern_info(code, PCRE2_INFO_BACKREFMAX, &highest);
	if (!highest)
		return OK;
	return fail(why, ERR_INVALID, "%s: must not contain a back-reference, but has "
	            "\\%" PRIu32, field, highest);
}

static struct regex *regex_with_limits(pcre2_code *code)
{
	struct regex *regex = xcalloc(1, sizeof(*regex));

	regex->code = code;
	regex->limits = pcre2_match_context_create(NULL);
	regex->data = pcre2_match_data_create(1, NULL);
	if (!regex->limits || !regex->data)
		fatal("no memory for a regular expression");
	pcre2_set_match_limit(regex->limits, MATCH_LIMIT);
	pcre2_set_depth_limit(regex->limits, DEPTH_LIMIT);
	pcre2_set_heap_limit(regex->limits, HEAP_LIMIT_KIB);
	return regex;
}

static enum err regex_make(const char *pattern, const char *field, uint32_t options,
                           struct regex **regex, struct why *why)
{
	pcre2_code *code = NULL;
	enum err err = regex_check_text(pattern, field, why);

	if (!err)
		err = regex_check_alone(pattern, field, why);
	if (!err)
		err = regex_compile_whole(pattern, field, options, &code, why);
	if (!err)
		err = regex_check_references(code, field, why);
	if (err) {
		pcre2_code_free(code);
		return err;
	}
	*regex = regex_with_limits(code);
	return OK;
}

enum err regex_new(const char *pattern, const char *field, struct regex **regex,
                   struct why *why)
{
	return regex_make(pattern, field, 0, regex, why);
}

void regex_free(struct regex **regex)
{
	if (!*regex)
		return;
	pcre2_match_data_free((*regex)->data);
	pcre2_match_context_free((*regex)->limits);
	pcre2_code_free((*regex)->code);
	free(*regex);
	*regex = NULL;
}

/* ---- search ---- */

/* The ends of the time limit. */
struct regex_watch {
	int64_t clock_us, cpu_us;
};

/* The processor time of this thread. Another process does not make it longer. */
static int64_t regex_cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

/*
 * PCRE2 calls this before each item of the pattern (PCRE2_AUTO_CALLOUT). The processor
 * time costs a system call, so the cheap clock decides whether to read it.
 */
static int regex_check_time(pcre2_callout_block *block, void *self)
{
	const struct regex_watch *watch = self;

	(void)block;
	return clock_us() >= watch->clock_us && regex_cpu_us() >= watch->cpu_us
	           ? PCRE2_ERROR_CALLOUT : 0;
}

/*
 * Returns 0 or more: a match; PCRE2_ERROR_NOMATCH; another error: PCRE2 has stopped the
 * search. Takes the time of the search from LEFT_US.
 */
static int regex_run(const struct regex *regex, const char *text, int64_t *left_us)
{
	int64_t limit_us = *left_us < REGEX_LIMIT_US ? *left_us : REGEX_LIMIT_US;
	int64_t begin_us = regex_cpu_us();
	struct regex_watch watch = { clock_us() + limit_us, begin_us + limit_us };
	int workspace[WORKSPACE], result;

	pcre2_set_callout(regex->limits, regex_check_time, &watch);
	result = pcre2_dfa_match(regex->code, (PCRE2_SPTR)text, strlen(text), 0,
	                         PCRE2_DFA_SHORTEST, regex->data, regex->limits,
	                         workspace, WORKSPACE);
	*left_us -= regex_cpu_us() - begin_us;
	return result;
}

enum regex_result regex_search(const struct regex *regex, const char *text,
                               int64_t *left_us)
{
	int result = strlen(text) > REGEX_TEXT_MAX ? PCRE2_ERROR_BADDATA
	                                           : regex_run(regex, text, left_us);

	return result >= 0 ? REGEX_FOUND :
	       result == PCRE2_ERROR_NOMATCH ? REGEX_ABSENT : REGEX_STOPPED;
}

/* ---- new patterns ---- */

static enum err regex_fail_probe(const char *field, int error, struct why *why)
{
	char words[WORDS_MAX];

	if (error == PCRE2_ERROR_CALLOUT)
		return fail(why, ERR_INVALID, "%s: a search in a text of %d octets may "
		            "take at most %d us, but takes longer: write a simpler "
		            "pattern", field, REGEX_TEXT_MAX, REGEX_LIMIT_US);
	pcre2_get_error_message(error, (PCRE2_UCHAR *)words, sizeof words);
	return fail(why, ERR_INVALID, "%s: PCRE2 cannot search a text of %d octets: "
	            "%s: write a simpler pattern", field, REGEX_TEXT_MAX, words);
}

/* Makes the longest name: each label is LABEL_LEN times LETTER. */
static void regex_make_probe(char letter, size_t label_len,
                             char text[REGEX_TEXT_MAX + 1])
{
	memset(text, letter, REGEX_TEXT_MAX);
	for (size_t i = label_len; i < REGEX_TEXT_MAX; i += label_len + 1)
		text[i] = '.';
	text[REGEX_TEXT_MAX - 1] = '.';
	text[REGEX_TEXT_MAX] = '\0';
}

static enum err regex_probe(const struct regex *regex, const char *field, char letter,
                            struct why *why)
{
	static const size_t label_lens[] = { 1, 63 };
	char text[REGEX_TEXT_MAX + 1];

	for (size_t i = 0; i < sizeof label_lens / sizeof label_lens[0]; i++) {
		int64_t left_us = REGEX_LIMIT_US;
		int result;

		regex_make_probe(letter, label_lens[i], text);
		result = regex_run(regex, text, &left_us);
		if (result < 0 && result != PCRE2_ERROR_NOMATCH)
			return regex_fail_probe(field, result, why);
	}
	return OK;
}

/* Names of the first letters of the pattern are the most difficult for the pattern. */
static enum err regex_probe_all(const struct regex *regex, const char *pattern,
                                const char *field, struct why *why)
{
	char letters[PROBE_LETTERS + 1] = "a0-";
	size_t count = strlen(letters);
	enum err err = OK;

	for (; *pattern && count < PROBE_LETTERS; pattern++)
		if (isalnum((unsigned char)*pattern) && !strchr(letters, *pattern))
			letters[count++] = *pattern;
	for (size_t i = 0; !err && i < count; i++)
		err = regex_probe(regex, field, letters[i], why);
	return err;
}

/* Without the start optimisations, a probe needs no letter that ends a match. */
enum err regex_check(const char *pattern, const char *field, struct why *why)
{
	struct regex *regex = NULL;
	enum err err = regex_make(pattern, field, PCRE2_NO_START_OPTIMIZE, &regex, why);

	if (!err)
		err = regex_probe_all(regex, pattern, field, why);
	regex_free(&regex);
	return err;
}
