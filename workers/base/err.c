#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

#define OURS "zonefleet.exceptions"
#define PY "builtins"
#define RPC "oslo_messaging.rpc.dispatcher"

/* What the log, the wire and the dispatcher know about each code. */
static const struct {
	const char *name, *class, *module;
	enum fate fate;
} table[ERR_COUNT] = {
	/*                    name           class                 module fate */
	[OK]              = { "ok",          "",                   "",   FATE_FINAL },
	[ERR_INVALID]     = { "invalid",     "Invalid",            OURS, FATE_FINAL },
	[ERR_ARGUMENTS]   = { "arguments",   "TypeError",          PY,   FATE_FINAL },
	[ERR_METHOD]      = { "method",      "NoSuchMethod",       RPC,  FATE_FINAL },
	[ERR_VERSION]     = { "version",     "UnsupportedVersion", RPC,  FATE_FINAL },
	[ERR_DENIED]      = { "denied",      "Forbidden",          OURS, FATE_FINAL },
	[ERR_NOT_FOUND]   = { "not_found",   "NotFound",           OURS, FATE_FINAL },
	[ERR_EXISTS]      = { "exists",      "Duplicate",          OURS, FATE_FINAL },
	[ERR_CONFLICT]    = { "conflict",    "Conflict",           OURS, FATE_FINAL },
	[ERR_QUOTA]       = { "quota",       "OverQuota",          OURS, FATE_FINAL },
	[ERR_TOO_LARGE]   = { "too_large",   "TooLarge",           OURS, FATE_FINAL },
	[ERR_RACE]        = { "race",        "Busy",               OURS, FATE_REDO  },
	[ERR_LOCKED]      = { "locked",      "Busy",               OURS, FATE_REDO  },
	[ERR_EXPIRED]     = { "expired",     "Busy",               OURS, FATE_FINAL },
	[ERR_BUSY]        = { "busy",        "Busy",               OURS, FATE_RETRY },
	[ERR_TIMEOUT]     = { "timeout",     "Timeout",            OURS, FATE_RETRY },
	[ERR_UNREACHABLE] = { "unreachable", "Unavailable",        OURS, FATE_RETRY },
	[ERR_REMOTE]      = { "remote",      "RemoteError",        OURS, FATE_FINAL },
	[ERR_INTERNAL]    = { "internal",    "Internal",           OURS, FATE_FINAL },
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

enum fate err_fate(enum err err)
{
	bug_if((unsigned)err >= ERR_COUNT);
	return table[err].fate;
}

/* From the end: a peer's "Busy" is ERR_BUSY, for only we can lose our own race. */
enum err err_from_class(const char *class)
{
	if (!class)
		return ERR_REMOTE;
	for (int err = ERR_COUNT - 1; err > OK; err--)
		if (strcmp(table[err].class, class) == 0)
			return err;
	return ERR_REMOTE;
}

/* By way of a second buffer: the old reason may be quoted in the new one. */
enum err fail(struct why *why, enum err err, const char *fmt, ...)
{
	struct why words;
	va_list args;

	va_start(args, fmt);
	vsnprintf(words.text, sizeof words.text, fmt, args);
	va_end(args);
	memcpy(why->text, words.text, strlen(words.text) + 1);
	return err;
}

const char *err_quote(const char *text, char *quoted, size_t size)
{
	size_t len = 0;

	for (; text[len] && len < size - 1; len++)
		quoted[len] = text[len] < ' ' || text[len] > '~' ? '?' : text[len];
	quoted[len] = '\0';
	return quoted;
}
