/*
 * log -- writes one line with fixed keys for each event: `subject verb: key=value ...`.
 *
 * A line with the level info reports a change of state. A line with the level warn
 * reports a failure after which the program continues. fatal() ends the program with
 * exit status 1. bug() ends the process with a core dump.
 *
 * A line begins with the program's name and pid, and ends with the current request
 * (log_request()). The log escapes control bytes and invalid UTF-8, so an event is
 * always one line. If the text after `key=` is not one ASCII word, the log puts this text
 * in quotes, and escapes quotes and backslashes. So a text from a peer is always one
 * value and cannot look like a key. The log goes to syslog or to stderr. If stderr goes
 * to journald, the log writes the priority, <N>, in front of each line.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

void log_open(const char *program, bool to_syslog);
void log_level_set(enum log_level level);
/* the word for each enum log_level, for example "info"; NULL ends the list */
extern const char *const log_level_words[];
/* Sets the request of this thread. Copies ID. "" or NULL: no request. */
void log_request(const char *id);

void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * Limits how often the program writes a log line that a sender or a lasting fault can
 * cause often. Initialise the struct with zeroes. Only one thread may use the struct.
 */
struct log_limit {
	int64_t quiet_until_ms;
	uint64_t unlogged;		/* unlogged events before the last line */
	uint64_t left_out;		/* unlogged events since the last line */
};
/* the minimum time between two lines that any sender can cause */
enum { LOG_STRANGER_MS = 1000 };
/*
 * True at most once every PERIOD_MS. The caller then logs the line with LIMIT->unlogged.
 */
bool log_is_due(struct log_limit *limit, int period_ms);
/* Writes "PROGRAM: WORDS" to stderr, escaped. Use it for errors before log_open(). */
void log_startup_error(const char *program, const char *words);
_Noreturn void fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void bug(const char *file, int line, const char *expression);

/*
 * Active in every build: a broken invariant ends the process, with a core dump if
 * allowed.
 */
#define bug_if(condition) \
	do { if (condition) bug(__FILE__, __LINE__, #condition); } while (0)
