#include "base/err.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

#define OURS "zonefleet.exceptions"
#define PY "builtins"
#define RPC "oslo_messaging.rpc.dispatcher"

/* A row for each code, for the log, the wire and the dispatcher. */
static const struct {
	const char *name, *class, *module;
	enum err_retry retry;
	const char *help;
} table[ERR_COUNT] = {
	/*                   name           class       module, retry, help for callers */
	[OK]              = { "ok",          "",                   "",   RETRY_NEVER,
	  "" },
	[ERR_INVALID]     = { "invalid",     "Invalid",            OURS, RETRY_NEVER,
	  "A value in an argument is not valid. The message names the argument or "
	  "field" },
	[ERR_ARGUMENTS]   = { "arguments",   "TypeError",          PY,   RETRY_NEVER,
	  "An argument is missing or unknown" },
	[ERR_METHOD]      = { "method",      "NoSuchMethod",       RPC,  RETRY_NEVER,
	  "The topic has no such method" },
	[ERR_VERSION]     = { "version",     "UnsupportedVersion", RPC,  RETRY_NEVER,
	  "The message names a namespace, or a version other than 1.0" },
	[ERR_DENIED]      = { "denied",      "Forbidden",          OURS, RETRY_NEVER,
	  "The caller is not allowed to make this call" },
	[ERR_NOT_FOUND]   = { "not_found",   "NotFound",           OURS, RETRY_NEVER,
	  "The object does not exist, or it belongs to another tenant" },
	[ERR_EXISTS]      = { "exists",      "Duplicate",          OURS, RETRY_NEVER,
	  "An object with this name or id already exists" },
	[ERR_CONFLICT]    = { "conflict",    "Conflict",           OURS, RETRY_NEVER,
	  "The current state of the object does not allow this call" },
	[ERR_QUOTA]       = { "quota",       "OverQuota",          OURS, RETRY_NEVER,
	  "The call would exceed a quota" },
	[ERR_NO_POOL]     = { "no_pool",     "NoValidPoolFound",   OURS, RETRY_NEVER,
	  "No pool fits the new domain. The message names the filter of the scheduler "
	  "that removed the last pool" },
	[ERR_SEVERAL_POOLS] = { "several_pools", "MultiplePoolsFound", OURS, RETRY_NEVER,
	  "Several pools fit the new domain" },
	[ERR_TOO_LARGE]   = { "too_large",   "TooLarge",           OURS, RETRY_NEVER,
	  "The message or an object in it is too large" },
	[ERR_RACE]        = { "race",        "Busy",               OURS, RETRY_NOW,
	  "Another call changed the same rows at the same time" },
	[ERR_LOCKED]      = { "locked",      "Busy",               OURS, RETRY_NOW,
	  "Another call has locked the object" },
	[ERR_EXPIRED]     = { "expired",     "Busy",               OURS, RETRY_NEVER,
	  "The end of the caller's time limit has passed" },
	[ERR_BUSY]        = { "busy",        "Busy",               OURS, RETRY_LATER,
	  "The program has too much to do, or another process holds the lock of the "
	  "object" },
	[ERR_TIMEOUT]     = { "timeout",     "Timeout",            OURS, RETRY_LATER,
	  "The database or another program did not answer in time" },
	[ERR_UNREACHABLE] = { "unreachable", "Unavailable",        OURS, RETRY_LATER,
	  "The program cannot reach the broker or the database" },
	[ERR_REMOTE]      = { "remote",      "RemoteError",        OURS, RETRY_NEVER,
	  "Another program answered with an unknown error class" },
	[ERR_INTERNAL]    = { "internal",    "Internal",           OURS, RETRY_NEVER,
	  "An internal error of zonefleet has occurred. The log of the program contains "
	  "the details" },
};

const char *err_name(enum err err)
{
	bug_if((unsigned)err >= ERR_COUNT);
	return table[err].name;
}

const char *err_class(enum err err)
{
	bug_if((unsigned)err >= ERR_COUNT);
	return table[err].class;
}

const char *err_module(enum err err)
{
	bug_if((unsigned)err >= ERR_COUNT);
	return table[err].module;
}

enum err_retry err_retry(enum err err)
{
	bug_if((unsigned)err >= ERR_COUNT);
	return table[err].retry;
}

const char *err_help(enum err err)
{
	bug_if((unsigned)err >= ERR_COUNT);
	return table[err].help;
}

/* Searches from the end: a peer's "Busy" is ERR_BUSY, not ERR_RACE or ERR_LOCKED. */
enum err err_from_class(const char *class)
{
	if (!class)
		return ERR_REMOTE;
	for (int err = ERR_COUNT - 1; err > OK; err--)
		if (strcmp(table[err].class, class) == 0)
			return err;
	return ERR_REMOTE;
}

size_t err_cut(const char *text, size_t max)
{
	size_t len = strlen(text), word = max;

	if (len <= max)
		return len;
	while (word && text[word] != ' ')
		word--;
	if (word && word >= max / 2)
		return word;
	while (max && ((unsigned char)text[max] & 0xc0) == 0x80)
		max--;
	return max;
}

/* Uses a second buffer, because the new reason may quote the old one. */
enum err fail(struct why *why, enum err err, const char *fmt, ...)
{
	static const char more[] = "...";
	struct why words;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(words.text, sizeof words.text, fmt, args);
	va_end(args);
	if (len >= (int)sizeof words.text)
		memcpy(words.text + err_cut(words.text, sizeof words.text - sizeof more),
		       more, sizeof more);
	memcpy(why->text, words.text, strlen(words.text) + 1);
	return err;
}

static bool err_is_in_field(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_.[]", c));
}

size_t err_field_len(const char *reason)
{
	size_t len = 0;

	while (err_is_in_field(reason[len]))
		len++;
	return islower((unsigned char)*reason) && !strncmp(reason + len, ": ", 2)
	           ? len : 0;
}

/* A single word may be something else: the name of a server, for example. */
const char *err_without_field(const char *reason)
{
	size_t len = err_field_len(reason);

	return len && strcspn(reason, ".[") < len ? reason + len + strlen(": ") : reason;
}

const char *err_quote(const char *text, char *quoted, size_t size)
{
	size_t len = 0;

	for (; text[len] && len < size - 1; len++)
		quoted[len] = text[len] < ' ' || text[len] > '~' ? '?' : text[len];
	quoted[len] = '\0';
	return quoted;
}
