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

enum { IDENTITY_MAX = 255 };		/* maximum length in octets */

/*
 * Checks an identity. ERR_INVALID: TEXT is not UTF-8 of 1 to IDENTITY_MAX octets,
 * contains a control character (C0, DEL, C1), or begins or ends with a blank. The reason
 * begins with FIELD.
 */
enum err identity_check(const char *text, const char *field, struct why *why);
/*
 * Reads the member KEY of JSON: an identity, or "". If the member is absent or null,
 * INTO is unchanged.
 */
enum err identity_get(const json_t *json, const char *key, const char **into,
                      struct why *why);
