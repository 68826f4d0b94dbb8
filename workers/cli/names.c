#include "names.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/id.h"
#include "idn.h"

static const struct unit {
	char letter;
	const char *name;
	int64_t seconds;
} units[] = {
	{ 'w', "w",   604800 },
	{ 'd', "d",   86400  },
	{ 'h', "h",   3600   },
	{ 'm', "min", 60     },
	{ 's', "s",   1      },
};

enum { UNITS = sizeof units / sizeof units[0] };

/* ---- names ---- */

/* name_parse_in() for a name with letters outside ASCII, too. */
static enum err names_parse(const char *word, const struct name *origin,
                            const char *field, struct name *name, struct why *why)
{
	struct buf ascii = { 0 };
	enum err err = idn_to_ascii(word, field, &ascii, why);

	if (!err)
		err = name_parse_in(buf_string(&ascii), origin, field, name, why);
	buf_clear(&ascii);
	return err;
}

enum err names_domain(const char *word, char text[NAME_MAX_TEXT + 1], struct why *why)
{
	static const struct name root = { .len = 1 };
	struct name name;
	enum err err;

	if (id_valid(word)) {
		snprintf(text, NAME_MAX_TEXT + 1, "%s", word);
		return OK;
	}
	err = names_parse(word, &root, "the domain", &name, why);
	if (err)
		return err;
	name_fold(&name);
	name_format(&name, text);
	return OK;
}

enum err names_suffix(const char *word, char text[SUFFIX_TEXT], struct why *why)
{
	static const struct name root = { .len = 1 };
	size_t mark = *word == '!' ? 1 : !strncmp(word, "*.", 2) ? 2 : 0;
	struct name name;
	enum err err = names_parse(word + mark, &root, "the suffix", &name, why);

	if (err)
		return err;
	name_fold(&name);
	memcpy(text, word, mark);
	name_format(&name, text + mark);
	return OK;
}

/* True: with the domain appended, the name would contain the domain twice. */
static bool names_is_dot_forgotten(const char *word, const struct name *zone)
{
	static const struct name root = { .len = 1 };
	struct why why;
	struct name name;

	if (zone->len == 1 || !strcmp(word, "@") || word[strlen(word) - 1] == '.')
		return false;
	if (names_parse(word, &root, "name", &name, &why))
		return false;
	name_fold(&name);
	return name_is_below(&name, zone);
}

enum err names_record(const char *word, const char *domain, char text[NAME_MAX_TEXT + 1],
                      struct why *why)
{
	struct name zone, name;
	enum err err = name_parse(domain, "the domain", &zone, why);

	if (!err)
		err = names_parse(word, &zone, "the record's name", &name, why);
	if (err)
		return err;
	if (names_is_dot_forgotten(word, &zone))
		return fail(why, ERR_INVALID,
		            "the record's name '%.255s' contains the domain '%.200s', "
		            "but no final dot: add a final dot, or leave out the domain",
		            word, domain);
	name_fold(&name);
	name_format(&name, text);
	return OK;
}

/* The first "*" that is not escaped; NULL: there is none. */
static const char *names_find_star(const char *text)
{
	for (; *text; text++) {
		if (*text == '*')
			return text;
		if (*text == '\\' && text[1])
			text++;
	}
	return NULL;
}

/* True: the last character is C, and it is not escaped. */
static bool names_ends_in(const char *text, char c)
{
	size_t len = strlen(text), backslashes = 0;

	if (!len || text[len - 1] != c)
		return false;
	while (backslashes < len - 1 && text[len - 2 - backslashes] == '\\')
		backslashes++;
	return backslashes % 2 == 0;
}

static bool names_is_pattern(const char *word)
{
	return names_find_star(strncmp(word, "*.", 2) ? word : word + 2);
}

static void names_escape_stars(const char *name, char text[CRITERION_TEXT])
{
	for (; *name; name++) {
		if (*name == '*')
			*text++ = '\\';
		*text++ = *name;
	}
	*text = '\0';
}

enum err names_criterion(const char *word, const char *domain, char text[CRITERION_TEXT],
                         struct why *why)
{
	char name[NAME_MAX_TEXT + 1];
	bool is_absolute = names_ends_in(word, '*') || names_ends_in(word, '.');
	struct buf ascii = { 0 };
	enum err err = OK;

	if (!names_is_pattern(word)) {
		err = names_record(word, domain, name, why);
		if (!err)
			names_escape_stars(name, text);
		return err;
	}
	err = idn_to_ascii(word, "the pattern", &ascii, why);
	if (!err && ascii.len + 1 + strlen(domain) > NAME_MAX_TEXT)
		err = fail(why, ERR_INVALID, "the pattern and the domain together must "
		           "have at most %d bytes, not %zu", NAME_MAX_TEXT,
		           ascii.len + 1 + strlen(domain));
	if (!err)
		snprintf(text, CRITERION_TEXT, "%s%s%s", buf_string(&ascii),
		         is_absolute ? "" : ".",
		         is_absolute || !strcmp(domain, ".") ? "" : domain);
	buf_clear(&ascii);
	return err;
}

/* ---- times ---- */

static const struct unit *names_unit(char letter)
{
	for (size_t i = 0; i < UNITS; i++)
		if (units[i].letter == tolower((unsigned char)letter))
			return &units[i];
	return NULL;
}

static bool names_take_number(const char **at, int64_t max, int64_t *number)
{
	*number = 0;
	if (!isdigit((unsigned char)**at))
		return false;
	for (; isdigit((unsigned char)**at); ++*at) {
		int digit = **at - '0';

		if (digit > max || *number > (max - digit) / 10)
			return false;
		*number = *number * 10 + digit;
	}
	return true;
}

/* A number without a unit means seconds. With several numbers, each needs a unit. */
bool names_seconds(const char *text, int64_t max, int64_t *seconds)
{
	const char *start = text;
	int64_t sum = 0, number;

	do {
		bool is_alone = text == start;
		const struct unit *unit;

		if (!names_take_number(&text, max, &number))
			return false;
		unit = *text ? names_unit(*text++) : is_alone ? names_unit('s') : NULL;
		if (!unit || number > (max - sum) / unit->seconds)
			return false;
		sum += number * unit->seconds;
	} while (*text);
	*seconds = sum;
	return true;
}

/* Prints the two largest units. */
void names_duration(int64_t seconds, char text[DURATION_TEXT])
{
	size_t i = 1;	/* weeks are for input only */
	int64_t first, rest;

	if (seconds < 0)
		seconds = 0;
	while (i + 1 < UNITS && seconds < units[i].seconds)
		i++;
	first = seconds / units[i].seconds;
	rest = i + 1 < UNITS ? seconds % units[i].seconds / units[i + 1].seconds : 0;
	if (rest)
		snprintf(text, DURATION_TEXT, "%" PRId64 " %s %" PRId64 " %s", first,
		         units[i].name, rest, units[i + 1].name);
	else
		snprintf(text, DURATION_TEXT, "%" PRId64 " %s", first, units[i].name);
}

static bool names_parse_moment(const char *time, int64_t *seconds)
{
	struct tm tm = { 0 };
	const char *end = strptime(time, "%Y-%m-%dT%H:%M:%S", &tm);

	if (!end || (*end != '.' && *end != 'Z'))
		return false;
	*seconds = timegm(&tm);
	return true;
}

bool names_age(const char *time, int64_t now, int64_t *seconds)
{
	int64_t then;

	if (!names_parse_moment(time, &then))
		return false;
	*seconds = now - then;
	return true;
}

void names_moment(const char *time, int64_t now, char text[MOMENT_TEXT])
{
	char distance[DURATION_TEXT];
	int64_t then;

	if (!names_parse_moment(time, &then)) {
		snprintf(text, MOMENT_TEXT, "%s", time);
		return;
	}
	names_duration(then > now ? then - now : now - then, distance);
	snprintf(text, MOMENT_TEXT, then > now ? "in %s" : "%s ago", distance);
}

void names_due(const char *time, int64_t now, char text[MOMENT_TEXT])
{
	int64_t age;

	if (names_age(time, now, &age) && age >= 0)
		snprintf(text, MOMENT_TEXT, "due now");
	else
		names_moment(time, now, text);
}
