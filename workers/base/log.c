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

#define CONVERSIONS "diouxXcsefgp%"

enum { LINE_MAX_BYTES = 4096, REQUEST_MAX_BYTES = 64, SPEC_MAX = 48 };

/* One write(2) for each line, so that lines of several processes do not mix. */
struct line {
	char text[LINE_MAX_BYTES];
	size_t len;
	bool in_quotes, in_value;	/* the place of the next text */
};

const char *const log_level_words[] = {
	[LOG_LEVEL_ERROR] = "error", [LOG_LEVEL_WARN] = "warn",
	[LOG_LEVEL_INFO] = "info", [LOG_LEVEL_DEBUG] = "debug", NULL
};
/* The priorities of syslog and of journald's <N>. */
static const int priorities[] = {
	[LOG_LEVEL_ERROR] = LOG_ERR, [LOG_LEVEL_WARN] = LOG_WARNING,
	[LOG_LEVEL_INFO] = LOG_INFO, [LOG_LEVEL_DEBUG] = LOG_DEBUG,
};

static struct {
	char program[64];
	enum log_level level;
	bool syslog, journal;
} state = { .program = "zonefleet", .level = LOG_LEVEL_INFO };

static _Thread_local char request[REQUEST_MAX_BYTES];

/* True: stderr is the socket of the journal. systemd gives its device and inode. */
static bool log_is_journal(void)
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
	state.journal = !to_syslog && log_is_journal();
	if (to_syslog)
		openlog(state.program, LOG_PID, LOG_DAEMON);
}

void log_level_set(enum log_level level)
{
	state.level = level;
}

void log_request(const char *id)
{
	snprintf(request, sizeof request, "%s", id ? id : "");
}

static bool log_is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/*
 * The length of the printable character at s (RFC 3629: no overlong form, no surrogate,
 * nothing above U+10FFFF), or 0 if its first byte must be escaped. The final NUL is not a
 * continuation byte, so this never reads past it.
 */
static size_t log_character_len(const unsigned char *s)
{
	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f;
	if (s[0] < 0xc2 || s[0] > 0xf4 || !log_is_continuation(s[1]))
		return 0;
	if (s[0] < 0xe0)
		return s[0] == 0xc2 && s[1] < 0xa0 ? 0 : 2;	/* C1 controls */
	if (!log_is_continuation(s[2]))
		return 0;
	if (s[0] < 0xf0)
		return (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)
			? 0 : 3;
	if (!log_is_continuation(s[3]))
		return 0;
	return (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f) ? 0 : 4;
}

/*
 * A quote in a text must not end the quotes, and \x.. in quotes must always mean an
 * escaped byte.
 */
static bool log_needs_backslash(const struct line *line, unsigned char c)
{
	return line->in_quotes && (c == '"' || c == '\\');
}

/* Appends escaped text, up to LIMIT. False: the text was cut. */
static bool line_escape(struct line *line, const char *text, size_t limit)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		size_t len = log_character_len(s);
		bool backslash = log_needs_backslash(line, *s);

		if (line->len + backslash + (len ? len : 4) > limit)
			return false;
		if (backslash)
			line->text[line->len++] = '\\';
		if (len)
			memcpy(line->text + line->len, s, len);
		else	/* the NUL is overwritten later */
			snprintf(line->text + line->len, 5, "\\x%02x", *s);
		line->len += len ? len : 4;
		s += len ? len : 1;
	}
	return true;
}

/* True: the text is one word of ASCII that cannot be misread. */
static bool log_is_word(const char *text)
{
	for (; *text; text++)
		if (*text == ' ' || *text == '"' || *text == '\\' || *text & 0x80)
			return false;
	return true;
}

/* Writes a quote of the format, or of a text that needs quotes. */
static bool line_quote(struct line *line, size_t limit)
{
	if (line->len + 1 > limit)
		return false;
	line->in_quotes = !line->in_quotes;
	line->text[line->len++] = '"';
	return true;
}

/* Writes a text argument, which is always one value. */
static bool line_value(struct line *line, const char *text, size_t limit)
{
	if (line->in_quotes || !line->in_value || log_is_word(text))
		return line_escape(line, text, limit);
	return line_quote(line, limit) && line_escape(line, text, limit) &&
	       line_quote(line, limit);
}

/* Writes a character of the format. */
static bool line_literal(struct line *line, char c, size_t limit)
{
	if (c == '"')
		return line_quote(line, limit);
	if (!line->in_quotes && (c == '=' || c == ' '))
		line->in_value = c == '=';
	return line_escape(line, (char[]){ c, 0 }, limit);
}

/*
 * Formats one conversion of printf(3) and its argument. Texts of arguments must be
 * treated differently from texts of the format, so each argument is read by its type.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void log_convert_number(const char *spec, const char *length, va_list *args,
			       char *text)
{
	if (strncmp(length, "ll", 2) == 0 || *length == 'j')
		snprintf(text, LINE_MAX_BYTES, spec, va_arg(*args, long long));
	else if (strchr("lzt", *length))
		snprintf(text, LINE_MAX_BYTES, spec, va_arg(*args, long));
	else
		snprintf(text, LINE_MAX_BYTES, spec, va_arg(*args, int));
}

static void log_convert(const char *spec, va_list *args, char *text)
{
	const char *length = spec + 1 + strcspn(spec + 1, "hljzt" CONVERSIONS);

	switch (spec[strlen(spec) - 1]) {
	case 's':
		snprintf(text, LINE_MAX_BYTES, spec, va_arg(*args, const char *));
		return;
	case 'p':
		snprintf(text, LINE_MAX_BYTES, spec, va_arg(*args, void *));
		return;
	case 'e': case 'f': case 'g':
		snprintf(text, LINE_MAX_BYTES, spec, va_arg(*args, double));
		return;
	default:
		log_convert_number(spec, length, args, text);
	}
}
#pragma GCC diagnostic pop

/*
 * Copies the conversion at FMT, with numbers instead of asterisks. Returns its length in
 * FMT.
 */
static size_t log_take_spec(const char *fmt, va_list *args, char spec[SPEC_MAX])
{
	size_t len = 1, at = 1;

	spec[0] = '%';
	do {
		if (fmt[at] == '*')
			len += snprintf(spec + len, SPEC_MAX - len, "%d",
			                va_arg(*args, int));
		else
			spec[len++] = fmt[at];
		bug_if(!fmt[at] || len >= SPEC_MAX);
	} while (!strchr(CONVERSIONS, fmt[at++]));
	spec[len] = 0;
	return at;
}

/* Like vprintf(3), but each text argument is one value. False: the line was cut. */
static bool line_format(struct line *line, const char *fmt, va_list *args, size_t limit)
{
	char spec[SPEC_MAX], text[LINE_MAX_BYTES];
	bool is_whole = true;

	while (*fmt && is_whole) {
		if (*fmt != '%') {
			is_whole = line_literal(line, *fmt++, limit);
			continue;
		}
		fmt += log_take_spec(fmt, args, spec);
		if (strcmp(spec, "%%") == 0) {
			is_whole = line_literal(line, '%', limit);
			continue;
		}
		log_convert(spec, args, text);
		is_whole = line_value(line, text, limit);
	}
	return is_whole;
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

/* Cuts a long text, but never the request id, because operators search for it. */
static void line_fill(struct line *line, const char *fmt, va_list *args)
{
	enum { ENDING = sizeof "...\" req=\"\"\n" + 4 * REQUEST_MAX_BYTES };

	if (!line_format(line, fmt, args, sizeof line->text - ENDING)) {
		line_escape(line, "...", sizeof line->text);
		if (line->in_quotes)
			line_quote(line, sizeof line->text);
	}
	if (request[0]) {
		line->in_value = false;
		line_escape(line, " req=", sizeof line->text);
		line->in_value = true;
		line_value(line, request, sizeof line->text - sizeof "\n");
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

/* Keeps errno for the caller. */
__attribute__((format(printf, 3, 0))) static void log_emit(enum log_level level,
							   const char *verb,
							   const char *fmt, va_list args)
{
	int saved = errno;
	struct line line = { .len = 0 };
	va_list copy;

	if (level > state.level)
		return;
	line_prefix(&line, verb, priorities[level]);
	va_copy(copy, args);
	line_fill(&line, fmt, &copy);
	va_end(copy);
	line_write(&line, priorities[level]);
	errno = saved;
}

void log_debug(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_emit(LOG_LEVEL_DEBUG, "debug", fmt, args);
	va_end(args);
}

void log_info(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_emit(LOG_LEVEL_INFO, "info", fmt, args);
	va_end(args);
}

void log_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_emit(LOG_LEVEL_WARN, "warn", fmt, args);
	va_end(args);
}

bool log_is_due(struct log_limit *limit, int period_ms)
{
	int64_t now_ms = clock_ms();

	if (now_ms < limit->quiet_until_ms) {
		limit->left_out++;
		return false;
	}
	*limit = (struct log_limit){ .quiet_until_ms = now_ms + period_ms,
	                             .unlogged = limit->left_out };
	return true;
}

void log_startup_error(const char *program, const char *words)
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
	log_emit(LOG_LEVEL_ERROR, "fatal", fmt, args);
	va_end(args);
	exit(1);
}

static void __attribute__((format(printf, 1, 2))) log_bug(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_emit(LOG_LEVEL_ERROR, "bug", fmt, args);
	va_end(args);
}

void bug(const char *file, int line, const char *expression)
{
	log_bug("%s:%d: this condition must be false: %s", file, line, expression);
	abort();
}
