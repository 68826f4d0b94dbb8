/*
 * idn -- converts names between the letters that people write ("bücher.example") and the
 * ASCII that DNS has ("xn--bcher-kva.example"), as IDNA2008 says (RFC 5891, and the
 * mapping of UTS 46: upper case is the same name). Only idn.c uses libidn2. Only the
 * client converts names: messages, JSON and zone files have ASCII.
 */
#pragma once

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Appends TEXT with all its labels in ASCII. TEXT is UTF-8: a name, a pattern, an email
 * address, or several names that are separated by blanks or commas. A label in ASCII
 * stays as it is. ERR_INVALID: *why begins with FIELD and says what libidn2 refuses.
 */
enum err idn_to_ascii(const char *text, const char *field, struct buf *ascii,
                      struct why *why);
/*
 * Appends NAME for a line about one object: "bücher.example. (xn--bcher-kva.example.)" if
 * the name has such letters, and the terminal can show them; NAME otherwise.
 */
void idn_show(const char *name, struct buf *shown);
/* idn_show() for a name in an object that will be printed. */
void idn_show_member(json_t *object, const char *key);
