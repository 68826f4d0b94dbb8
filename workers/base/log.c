#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { LINE_MAX_BYTES = 4096, REQUEST_MAX_BYTES = 64 };

/* One write(2) a line, so that the lines of many processes never mix. */
struct line {
	char text[LINE_MAX_BYTES];
	size_t len;
};

static const struct {
	const char *name;
	int priority;		/* of syslog, and of journald's <N> */
} levels[] = {
	[LOG_LEVEL_ERROR] = { "error", LOG_ERR     },
	[LOG_LEVEL_WARN]  = { "warn",  LOG_WARNING },
	[LOG_LEVEL_INFO]  = { "info",  LOG_INFO    },
	[LOG_LEVEL_DEBUG] = { "debug", LOG_DEBUG   },
};

static struct {
	char program[64];
	enum log_level level;
	bool syslog, journal;
} state = { .program = "zonefleet", .level = LOG_LEVEL_INFO };

static _Thread_local char request[REQUEST_MAX_BYTES];

/* systemd names the device and inode of the journal's socket: is it our stderr? */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	if (!stream || sscanf(stream, "%llu:%llu", &device, &inode) != 2)
		return false;
	return fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device &&
	       st.st_ino == inode;
}

void log_open(const char *program, bool to_syslog)
{
	snprintf(state.program, sizeof state.program, "%s", program);
	state.syslog = to_syslog;
	state.journal = !to_syslog && stderr_is_journal();
	if (to_syslog)
		openlog(state.program, LOG_PID, LOG_DAEMON);
}

void log_level_set(enum log_level level)
{
	state.level = level;
}

bool log_level_parse(const char *text, enum log_level *level)
{
	for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
		if (strcmp(levels[i].name, text) == 0) {
			*level = i;
			return true;
		}
	return false;
}

void log_request(const char *id)
{
	snprintf(request, sizeof request, "%s", id ? id : "");
}

static bool is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/*
 * The length of the printable character at s (RFC 3629: no overlong form, no
 * surrogate, nothing above U+10FFFF), or 0 when its first byte must be
 * escaped. The NUL at the end is no continuation, so nothing reads past it.
 */
static size_t character_length(const unsigned char *s)
{
	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f;
	if (s[0] < 0xc2 || s[0] > 0xf4 || !is_continuation(s[1]))
		return 0;
	if (s[0] < 0xe0)
		return s[0] == 0xc2 && s[1] < 0xa0 ? 0 : 2;	/* C1 controls */
	if (!is_continuation(s[2]))
		return 0;
	if (s[0] < 0xf0)
		return (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)
			? 0 : 3;
	if (!is_continuation(s[3]))
		return 0;
	return (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f) ? 0 : 4;
}

/* Append text, escaped, as far as it fits below limit; false when it was cut. */
static bool line_escape(struct line *line, const char *text, size_t limit)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		size_t len = character_length(s);

		if (line->len + (len ? len : 4) > limit)
			return false;
		if (len)
			memcpy(line->text + line->len, s, len);
		else	/* the NUL lands where the next character or the ending goes */
			snprintf(line->text + line->len, 5, "\\x%02x", *s);
		line->len += len ? len : 4;
		s += len ? len : 1;
	}
	return true;
}

static void line_prefix(struct line *line, const char *verb, int priority)
{
	struct timespec now;
	struct tm tm;

	if (state.syslog)
		return;
	if (state.journal) {
		line->len = snprintf(line->text, sizeof line->text, "<%d>", priority);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	line->len = strftime(line->text, sizeof line->text, "%Y-%m-%dT%H:%M:%S", &tm);
	line->len += snprintf(line->text + line->len, sizeof line->text - line->len,
			      ".%03ldZ %s[%ld] %s: ", now.tv_nsec / 1000000,
			      state.program, (long)getpid(), verb);
}

/* The text gives way, never the request id: it is what a search goes by. */
static void line_fill(struct line *line, const char *text)
{
	enum { ENDING = sizeof "... req=\n" + 4 * REQUEST_MAX_BYTES };

	if (!line_escape(line, text, sizeof line->text - ENDING))
		line_escape(line, "...", sizeof line->text);
	if (request[0]) {
		line_escape(line, " req=", sizeof line->text);
		line_escape(line, request, sizeof line->text - sizeof "\n");
	}
}

static void line_write(struct line *line, int priority)
{
	ssize_t n;

	if (state.syslog) {
		syslog(priority, "%.*s", (int)line->len, line->text);
		return;
	}
	line->text[line->len++] = '\n';
	do
		n = write(STDERR_FILENO, line->text, line->len);
	while (n < 0 && errno == EINTR);
}

/* The caller's errno survives: people log first and look at it afterwards. */
__attribute__((format(printf, 3, 0)))
static void emit(enum log_level level, const char *verb, const char *fmt, va_list args)
{
	int saved = errno;
	char text[LINE_MAX_BYTES];
	struct line line = { .len = 0 };

	if (level > state.level)
		return;
	vsnprintf(text, sizeof text, fmt, args);
	line_prefix(&line, verb, levels[level].priority);
	line_fill(&line, text);
	line_write(&line, levels[level].priority);
	errno = saved;
}

void log_debug(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	emit(LOG_LEVEL_DEBUG, "debug", fmt, args);
	va_end(args);
}

void log_info(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	emit(LOG_LEVEL_INFO, "info", fmt, args);
	va_end(args);
}

void log_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	emit(LOG_LEVEL_WARN, "warn", fmt, args);
	va_end(args);
}

bool log_is_due(int64_t *quiet_until_ms, int period_ms)
{
	int64_t now_ms = clock_ms();

	if (now_ms < *quiet_until_ms)
		return false;
	*quiet_until_ms = now_ms + period_ms;
	return true;
}

void log_complaint(const char *program, const char *words)
{
	const char *const parts[] = { program, ": ", words };
	struct line line = { .len = 0 };

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		line_escape(&line, parts[i], sizeof line.text - sizeof "\n");
	line_write(&line, LOG_WARNING);
}

void fatal(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	emit(LOG_LEVEL_ERROR, "fatal", fmt, args);
	va_end(args);
	exit(1);
}

static void __attribute__((format(printf, 1, 2))) log_bug(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	emit(LOG_LEVEL_ERROR, "bug", fmt, args);
	va_end(args);
}

void bug(const char *file, int line, const char *expression)
{
	log_bug("%s:%d: must not be: %s", file, line, expression);
	abort();
}
