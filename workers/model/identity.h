/*
 * identity -- the allowed names of tenants (projects) and users. Two identities are
 * equal if their octets are equal. Neither zonefleet nor SQL normalises blanks, case or
 * forms of letters (the columns are VARBINARY).
 *
 * zonefleet refuses an identity that contains control characters, or that begins or ends
 * with a blank. A person or a program could confuse such an identity with a different
 * identity. Letters that only look alike (full-width or Cyrillic letters) have different
 * octets, so they form a different identity.
 */
#pragma once

#include <jansson.h>

#include "base/err.h"

enum { IDENTITY_MAX = 255 };		/* octets */

/*
 * TEXT must be UTF-8 of 1 to IDENTITY_MAX octets, without control characters (C0, DEL,
 * C1) and without a blank at its start or end. Otherwise ERR_INVALID; the reason begins
 * with FIELD.
 */
enum err identity_check(const char *text, const char *field, struct why *why);
/*
 * Reads the member KEY of JSON: an identity, or "". If the member is absent, *into is
 * unchanged.
 */
enum err identity_get(const json_t *json, const char *key, const char **into,
                      struct why *why);
