/*
 * presentation_svcb -- the SvcParams of SVCB and HTTPS records (RFC 9460), for
 * presentation*.c and rdata_rules.c only. This module does not use ldns, because ldns
 * reads and prints an escaped comma in alpn wrongly, and accepts duplicate keys. Each
 * key with a name has a row with the functions that read, check and print its value. A
 * value in text is a character-string. The value of alpn is also a list, which has its
 * own escapes (appendix A.1).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Reads "key=value key ..." from the lexed text TEXT, and changes TEXT. Appends the
 * params to WIRE in the order of their keys. ERR_INVALID: a key is unknown or occurs
 * twice, a value is not valid, or svcb_check() finds a violation. The reason begins with
 * FIELD.
 */
enum err svcb_read(char *text, const char *field, struct buf *wire, struct why *why);
/*
 * Returns NULL, or the rule that the params on the wire violate. The rule is the end of a
 * sentence that begins with "the SvcParams".
 */
const char *svcb_check(const uint8_t *params, size_t len);
/*
 * Prints params in canonical text. A param gets the form keyN if its key has no name, or
 * if its value is not valid for its key. False: keys do not ascend, or a param does not
 * end within LEN octets.
 */
bool svcb_print(const uint8_t *params, size_t len, struct buf *text);
