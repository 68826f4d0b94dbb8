#include "runtime/sql_script.h"

#include <string.h>

#include "base/log.h"

struct script sql_script_start(const char *text)
{
	return (struct script){ .rest = text, .rest_line = 1 };
}

/*
 * The length of the comment at s; 0: no comment. Executable comments count as text.
 */
static size_t script_comment_len(const char *s)
{
	const char *end;

	if (s[0] == '#' || (s[0] == '-' && s[1] == '-' && strchr(" \t\r\n", s[2])))
		return strcspn(s, "\n");
	if (s[0] != '/' || s[1] != '*' || s[2] == '!' || (s[2] == 'M' && s[3] == '!'))
		return 0;
	end = strstr(s + 2, "*/");
	return end ? (size_t)(end + 2 - s) : strlen(s);
}

/* A doubled quote ends one text and begins the next, which is harmless. */
static size_t script_quoted_len(const char *s)
{
	char quote = s[0];
	size_t len = 1;

	while (s[len] && s[len] != quote)
		len += s[len] == '\\' && quote != '`' && s[len + 1] ? 2 : 1;
	return s[len] ? len + 1 : len;
}

static size_t script_token_len(const char *s)
{
	size_t len = script_comment_len(s);

	if (len)
		return len;
	return strchr("'\"`", *s) ? script_quoted_len(s) : 1;
}

static void script_advance(struct script *script, size_t len)
{
	for (; len; len--)
		if (*script->rest++ == '\n')
			script->rest_line++;
}

/* Skips blanks, comments and empty statements. */
static void script_skip_gap(struct script *script)
{
	for (;;) {
		size_t len = strspn(script->rest, " \t\r\n;");

		if (!len)
			len = script_comment_len(script->rest);
		if (!len)
			return;
		script_advance(script, len);
	}
}

bool sql_script_next(struct script *script)
{
	bug_if(!script->rest);
	script_skip_gap(script);
	script->statement = script->rest;
	script->line = script->rest_line;
	while (*script->rest && *script->rest != ';')
		script_advance(script, script_token_len(script->rest));
	script->len = script->rest - script->statement;
	return script->len > 0;
}
