#include "base/option_scan.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The tokens of libconfig 1.5, lib/scanner.l. */

static const char *scan_skip_string(const char *s)
{
	for (s++; *s && *s != '"'; s++)
		if (*s == '\\' && s[1])
			s++;
	return *s ? s + 1 : s;
}

static const char *scan_skip_block_comment(const char *s)
{
	const char *end = strstr(s + 2, "*/");

	return end ? end + 2 : s + strlen(s);
}

static const char *scan_skip_name(const char *s)
{
	while (isalnum((unsigned char)*s) || *s == '*' || *s == '-' || *s == '_')
		s++;
	return s;
}

/* Without an L, libconfig keeps 32 bits; of a hexadecimal number it keeps all 32. */
static bool scan_number_fits(const char *s, bool negative, bool hex, bool is_long)
{
	unsigned long long value, limit = is_long ? INT64_MAX : INT32_MAX;

	errno = 0;
	value = strtoull(s, NULL, hex ? 16 : 10);
	return errno == 0 && value <= limit + (negative && !hex);
}

/* S is at the first digit; a sign may be before it. */
static const char *scan_check_number(const char *s, bool negative, const char **reason)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X') &&
		   isxdigit((unsigned char)s[2]);
	const char *start = s;

	s += hex ? 2 : 0;
	while (hex ? isxdigit((unsigned char)*s) : isdigit((unsigned char)*s))
		s++;
	if (!scan_number_fits(start, negative, hex, *s == 'L'))
		*reason = *s == 'L' ? "the number does not fit into 64 bits"
				    : "the number does not fit into 32 bits: write L "
				      "after the number";
	if (!hex && *s == '.')	/* the type check gives a better message */
		for (s++; isdigit((unsigned char)*s); s++)
			;
	while (*s == 'L')
		s++;
	return s;
}

/* Skips one token, or one other byte. */
static const char *scan_token(const char *text, const char *s, const char **reason)
{
	if (*s == '"')
		return scan_skip_string(s);
	if (*s == '#' || (s[0] == '/' && s[1] == '/'))
		return s + strcspn(s, "\n");
	if (s[0] == '/' && s[1] == '*')
		return scan_skip_block_comment(s);
	if (isalpha((unsigned char)*s) || *s == '*')
		return scan_skip_name(s);
	if (isdigit((unsigned char)*s))
		return scan_check_number(s, s > text && s[-1] == '-', reason);
	if (*s == '@')
		*reason = "@include is not supported: write all settings into this file";
	return s + 1;
}

static int scan_line(const char *text, const char *s)
{
	int line = 1;

	while (text < s)
		line += *text++ == '\n';
	return line;
}

const char *option_scan(const char *text, int *line)
{
	const char *reason = NULL, *next;

	for (const char *s = text; *s; s = next) {
		next = scan_token(text, s, &reason);
		if (reason) {
			*line = scan_line(text, s);
			return reason;
		}
	}
	return NULL;
}
