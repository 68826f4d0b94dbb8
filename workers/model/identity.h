/*
 * identity -- the allowed names of tenants (projects) and users. Two identities are equal
 * if their octets are equal: blanks, case and forms of letters are not folded, here or in
 * SQL (the columns are VARBINARY).
 *
 * An identity is refused if a person or a program could take it for another one because
 * of its blanks or control characters. Letters that only look alike (full-width or
 * Cyrillic letters) have other octets, so they make another identity.
 */
#pragma once

#include <jansson.h>

#include "base/err.h"

enum { IDENTITY_MAX = 255 };		/* octets */

/*
 * TEXT: UTF-8 of 1 to IDENTITY_MAX octets, without control characters (C0, DEL, C1) and
 * without a blank at its start or end. Else ERR_INVALID; the reason begins with FIELD.
 */
enum err identity_check(const char *text, const char *field, struct why *why);
/* The field KEY of JSON: such a text, or "". *into stays as it is if the field is absent. */
enum err identity_get(const json_t *json, const char *key, const char **into,
                      struct why *why);
