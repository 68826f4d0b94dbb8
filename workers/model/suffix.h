/*
 * suffix -- an entry of the list of permitted suffixes, in the form of the Public Suffix
 * List (publicsuffix.org): `co.uk.`, `*.ck.` or `!www.ck.`. central checks the entries of
 * calls. The client checks all entries of a file before its first call.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/name.h"

enum { SUFFIX_TEXT_MAX = 1 + NAME_MAX_TEXT };		/* with the "!" */

/* True: the entry is an exception, `!www.ck.`. */
bool suffix_is_exception(const char *entry);
/*
 * Converts an entry to the stored form. The final dot may be missing in TEXT. The result
 * is in ARENA. ERR_INVALID: the reason begins with FIELD.
 */
enum err suffix_parse(const char *text, const char *field, struct arena *arena,
                      const char **entry, struct why *why);
