/*
 * names -- converts domain names and times to and from the form that people use. A person
 * can write a domain as its name, with or without a final dot, or as its id. The name of
 * a record is either relative to its domain ("www", "@") or absolute with a final dot.
 * This module does no I/O.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/name.h"

/*
 * Writes the domain in the form that central accepts: the canonical name in ASCII
 * (idn.h), or an id unchanged. ERR_INVALID: *why contains the reason.
 */
enum err names_domain(const char *word, char text[NAME_MAX_TEXT + 1], struct why *why);
/*
 * Writes the absolute name of a record in DOMAIN (canonical). Refuses a relative name
 * that ends in the name of the domain ("www.example.org" in example.org.), because the
 * user has probably forgotten the final dot.
 */
enum err names_record(const char *word, const char *domain, char text[NAME_MAX_TEXT + 1],
                      struct why *why);
/*
 * Writes the criterion `name` of find_recordsets for a word of the user. A word with "*"
 * is a pattern. But a word such as "*.www" is the name of a wildcard record. A pattern
 * that ends neither in "*" nor in a dot is relative to DOMAIN (canonical).
 */
enum { CRITERION_TEXT = 2 * NAME_MAX_TEXT + 2 };
enum err names_criterion(const char *word, const char *domain, char text[CRITERION_TEXT],
                         struct why *why);

/*
 * Converts "90", "1h", "1h30m", "2d" to seconds. False: not a valid time, or more than
 * MAX.
 */
bool names_seconds(const char *text, int64_t max, int64_t *seconds);
enum { DURATION_TEXT = 64, MOMENT_TEXT = DURATION_TEXT + 8 };

/* Writes a duration, for example "5 s", "3 min 20 s", "2 h 5 min" or "4 d 3 h". */
void names_duration(int64_t seconds, char text[DURATION_TEXT]);
/*
 * Writes a time such as "2026-11-21T12:00:00.123Z" relative to NOW (Unix seconds): "3 s
 * ago", "in 2 min". Copies any other TIME unchanged, but cuts the copy to the size of
 * TEXT.
 */
void names_moment(const char *time, int64_t now, char text[MOMENT_TEXT]);
/* The same for the time of a planned action. A time in the past gives "due now". */
void names_due(const char *time, int64_t now, char text[MOMENT_TEXT]);
/*
 * Computes the seconds from such a time to NOW. The result is negative if the time is in
 * the future. False: TIME is not such a time.
 */
bool names_age(const char *time, int64_t now, int64_t *seconds);
