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
 * Writes the domain in WORD to TEXT, in the form that central accepts: the canonical
 * name in ASCII (idn.h), or an id unchanged. ERR_INVALID: WORD is not a domain name.
 */
enum err names_domain(const char *word, char text[NAME_MAX_TEXT + 1], struct why *why);
/*
 * Writes the entry of the list of permitted suffixes in WORD to TEXT, in the form that
 * central accepts: "co.uk.", "*.ck." or "!www.ck.", in ASCII. ERR_INVALID: WORD is not a
 * name after "!" or "*.".
 */
enum { SUFFIX_TEXT = NAME_MAX_TEXT + 4 };
enum err names_suffix(const char *word, char text[SUFFIX_TEXT], struct why *why);
/*
 * Writes the absolute name of the record in WORD to TEXT. DOMAIN: the canonical name of
 * the domain. Refuses a relative name that ends in the name of the domain
 * ("www.example.org" in example.org.), because the user has probably forgotten the final
 * dot.
 */
enum err names_record(const char *word, const char *domain, char text[NAME_MAX_TEXT + 1],
                      struct why *why);
/*
 * Converts a word of the user to the criterion `name` of find_recordsets. A word with
 * "*" is a pattern. But a word such as "*.www" is the name of a wildcard record. If a
 * pattern ends neither in "*" nor in a dot, the function appends DOMAIN, a canonical
 * name.
 */
enum { CRITERION_TEXT = 2 * NAME_MAX_TEXT + 2 };
enum err names_criterion(const char *word, const char *domain, char text[CRITERION_TEXT],
                         struct why *why);

/*
 * Converts a time such as "90", "1h", "1h30m" or "2d" to seconds. False: TEXT is not a
 * valid time, or is longer than MAX seconds.
 */
bool names_seconds(const char *text, int64_t max, int64_t *seconds);
enum { DURATION_TEXT = 64, MOMENT_TEXT = DURATION_TEXT + 8 };

/* Writes a duration in at most two units, for example "5 s" or "3 min 20 s". */
void names_duration(int64_t seconds, char text[DURATION_TEXT]);
/*
 * Converts a time such as "2026-11-21T12:00:00.123Z" to a text relative to NOW (Unix
 * seconds), for example "3 s ago" or "in 2 min". If TIME has a different form, copies
 * TIME, cut to the size of TEXT.
 */
void names_moment(const char *time, int64_t now, char text[MOMENT_TEXT]);
/*
 * Like names_moment(), for the time of a planned action. If TIME is not in the future,
 * TEXT is "due now".
 */
void names_due(const char *time, int64_t now, char text[MOMENT_TEXT]);
/*
 * Computes the seconds from TIME to NOW. The result is negative if TIME is in the
 * future. False: TIME does not have the form "2026-11-21T12:00:00.123Z".
 */
bool names_age(const char *time, int64_t now, int64_t *seconds);
