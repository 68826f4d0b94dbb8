/*
 * log -- writes one line with fixed keys for each event: `subject verb: key=value ...`.
 *
 * A line with the level info reports a change of state. A line with the level warn
 * reports a failure after which the program continues. fatal() ends the program with
 * exit status 1. bug() ends the process, with a core dump if the system allows core
 * dumps.
 *
 * The log goes to syslog or to stderr. On stderr, a line begins with the time, the
 * program's name, the pid and the level. If journald reads stderr, a line begins with
 * its priority, <N>, instead. syslog and journald add the other parts themselves. A line
 * ends with the id of the current request (log_request()). The log escapes control bytes
 * and invalid UTF-8, so an event is always one line. If the text after `key=` is not one
 * ASCII word, the log puts this text in quotes, and escapes quotes and backslashes. So a
 * text from a peer is always one value and cannot look like a key.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

void log_open(const char *program, bool to_syslog);
void log_level_set(enum log_level level);
/* the word for each level, in the order of enum log_level; NULL ends the list */
extern const char *const log_level_words[];
/*
 * Sets the id of the request on which this thread works. Copies ID. "" or NULL: no
 * request.
 */
void log_request(const char *id);

void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * Limits how often the program writes one kind of log line. Use this struct for a line
 * that a sender or a lasting fault can cause often. Initialise the struct with zeroes.
 * Only one thread may use the struct.
 */
struct log_limit {
	int64_t quiet_until_ms;
	/* number of events without a line between the last two lines */
	uint64_t unlogged;
	uint64_t left_out;	/* number of events without a line since the last line */
};
/* minimum time between two log lines that any sender can cause with its messages */
enum { LOG_STRANGER_MS = 1000 };
/*
 * Returns true at most once in PERIOD_MS milliseconds. If the result is true, the caller
 * writes the line, with the number in LIMIT->unlogged.
 */
bool log_is_due(struct log_limit *limit, int period_ms);
/*
 * Writes "PROGRAM: WORDS" to stderr, escaped. Use this function for errors before
 * log_open().
 */
void log_startup_error(const char *program, const char *words);
_Noreturn void fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void bug(const char *file, int line, const char *expression);

/*
 * Ends the process with bug() if CONDITION is true. CONDITION is the opposite of an
 * invariant. bug_if() is active in every build.
 */
#define bug_if(condition) \
	do { if (condition) bug(__FILE__, __LINE__, #condition); } while (0)
