/*
 * presentation -- converts records from and to text (RFC 1035 5, RFC 3597). Only the
 * files presentation*.c use ldns. zonefleet converts text to wire rdata once, when it
 * writes a record. ldns prints the canonical text of most fields. zonefleet itself
 * prints the other fields, for example names and SvcParams. For some rdata, ldns can
 * print text with a different meaning. So zonefleet converts the text of such rdata back
 * to wire form, and refuses the record if the result differs. Invalid text causes
 * ERR_INVALID, and the reason names the field. Text from an attacker cannot abort the
 * program, because this module limits the lengths before ldns reads the text.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "model/name.h"
#include "model/rr.h"

enum { RDATA_MAX_TEXT = 4 * 65535 };

/*
 * Reads a type such as "AAAA" or "TYPE65280", in upper or lower case. ERR_INVALID: TEXT
 * is not a type, or zonefleet does not store records of this type.
 */
enum err rrtype_parse(const char *text, const char *field, uint16_t *type,
                      struct why *why);
/* Writes "AAAA", or "TYPE65280" for a type without a name. TEXT has room for 16 bytes. */
void rrtype_format(uint16_t type, char text[16]);

/*
 * Converts rdata text to wire form, in ARENA. Refuses relative names. ERR_INVALID: the
 * text is not valid.
 */
enum err rdata_parse(uint16_t type, const char *text, const char *field,
                     struct arena *arena, const uint8_t **rdata, uint16_t *len,
                     struct why *why);
/*
 * Like rdata_parse(), but for data that zonefleet only compares with stored data. Stored
 * data can break a rule that zonefleet added later. So rdata_parse_stored() does not
 * apply the rules of rdata_rules.h, and does not convert the text back.
 */
enum err rdata_parse_stored(uint16_t type, const char *text, const char *field,
                            struct arena *arena, const uint8_t **rdata, uint16_t *len,
                            struct why *why);
/*
 * Appends TEXT to TO in the form that rdata_parse() reads. A person has written TEXT.
 * Puts quotes around a string without quotes. So "v=spf1 -all" is one string, and ';'
 * does not begin a comment. Only three kinds of strings get quotes: the string of a TXT
 * record, the string of a type whose only field is a string, and the last field of a CAA
 * or URI record. Escapes stay unchanged. A text with a quote, and the form \# LENGTH
 * OCTETS, also stay unchanged. True: TO has quotes that TEXT does not have.
 */
bool rdata_quote(uint16_t type, const char *text, struct buf *to);
/* Appends wire rdata as canonical text. ERR_INVALID: RDATA is malformed. */
enum err rdata_format(uint16_t type, const uint8_t *rdata, uint16_t len, struct buf *text,
                      struct why *why);
