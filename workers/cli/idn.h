/*
 * idn -- converts names between the letters that people write ("bücher.example") and the
 * ASCII form in DNS ("xn--bcher-kva.example"), according to IDNA2008 (RFC 5891, with the
 * mapping of UTS 46, so upper and lower case give the same name). Only idn.c uses
 * libidn2. Only the client converts names. Names in messages, JSON and zone files are
 * always ASCII.
 */
#pragma once

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Appends TEXT with all its labels in ASCII. TEXT is UTF-8: a name, a pattern, an email
 * address, or several names that are separated by blanks or commas. Labels in ASCII and
 * the text before "@" do not change. ERR_INVALID: a name in TEXT is not valid. The
 * reason begins with FIELD.
 */
enum err idn_to_ascii(const char *text, const char *field, struct buf *ascii,
                      struct why *why);
/*
 * Appends NAME in the form for a line about one object. If NAME has letters outside
 * ASCII and the terminal can show these letters, appends both forms: "bücher.example.
 * (xn--bcher-kva.example.)".
 */
void idn_show(const char *name, struct buf *shown);
/*
 * Replaces the name in the member KEY of OBJECT by the text of idn_show(). The client
 * prints OBJECT later.
 */
void idn_show_member(json_t *object, const char *key);
