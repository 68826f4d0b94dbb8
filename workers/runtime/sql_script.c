#include "runtime/sql_script.h"

#include <string.h>

#include "base/log.h"

struct script script_start(const char *text)
{
	return (struct script){ .rest = text, .rest_line = 1 };
}

/*
 * The length of the comment at s, 0 if there is none. The executable ones count as text.
 */
static size_t comment_length(const char *s)
{
	const char *end;

	if (s[0] == '#' || (s[0] == '-' && s[1] == '-' && strchr(" \t\r\n", s[2])))
		return strcspn(s, "\n");
	if (s[0] != '/' || s[1] != '*' || s[2] == '!' || (s[2] == 'M' && s[3] == '!'))
		return 0;
	end = strstr(s + 2, "*/");
	return end ? (size_t)(end + 2 - s) : strlen(s);
}

/* A doubled quote needs no care: it ends one text and begins the next. */
static size_t quoted_length(const char *s)
{
	char quote = s[0];
	size_t len = 1;

	while (s[len] && s[len] != quote)
		len += s[len] == '\\' && quote != '`' && s[len + 1] ? 2 : 1;
	return s[len] ? len + 1 : len;
}

static size_t token_length(const char *s)
{
	size_t len = comment_length(s);

	if (len)
		return len;
	return strchr("'\"`", *s) ? quoted_length(s) : 1;
}

static void advance(struct script *script, size_t len)
{
	for (; len; len--)
		if (*script->rest++ == '\n')
			script->rest_line++;
}

/* Blanks, comments and empty statements. */
static void skip_gap(struct script *script)
{
	for (;;) {
		size_t len = strspn(script->rest, " \t\r\n;");

		if (!len)
			len = comment_length(script->rest);
		if (!len)
			return;
		advance(script, len);
	}
}

bool script_next(struct script *script)
{
	bug_if(!script->rest);
	skip_gap(script);
	script->statement = script->rest;
	script->line = script->rest_line;
	while (*script->rest && *script->rest != ';')
		advance(script, token_length(script->rest));
	script->len = script->rest - script->statement;
	return script->len > 0;
}
