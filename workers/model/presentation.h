/*
 * presentation -- converts records from and to text (RFC 1035 5, RFC 3597). Only the
 * files presentation*.c use ldns. zonefleet converts text to wire rdata once, when it
 * writes a record. ldns prints the canonical text of most fields; zonefleet itself prints
 * names and SvcParams. For some rdata, ldns may print text with a different meaning.
 * zonefleet converts the text of such rdata back and refuses the record if the result
 * differs. Invalid text causes ERR_INVALID, and the reason names the field. Text from an
 * attacker cannot abort the program, because this module limits the lengths before ldns
 * reads the text.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "model/name.h"
#include "model/rr.h"

enum { RDATA_MAX_TEXT = 4 * 65535 };

/*
 * Reads "AAAA" or "TYPE65280", in any case. ERR_INVALID also for types that zonefleet
 * does not store.
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
 * Like rdata_parse(), for data that is not stored, but compared with stored data. Stored
 * data may be older than a rule, so it does not apply the rules of rdata_rules.h, and
 * does not convert the text back.
 */
enum err rdata_parse_stored(uint16_t type, const char *text, const char *field,
                            struct arena *arena, const uint8_t **rdata, uint16_t *len,
                            struct why *why);
/*
 * Appends TEXT for rdata_parse(), with quotes around a string without quotes. A person
 * writes one value: "v=spf1 -all" is then one string, and its ';' is no comment. Escapes
 * stay. Only the types with one string and TXT get quotes (also CAA and URI, around their
 * last field). Unchanged: \# LENGTH OCTETS, and a text that has a quote. True: TO has
 * quotes that TEXT does not have.
 */
bool rdata_quote(uint16_t type, const char *text, struct buf *to);
/* Appends wire rdata as canonical text. ERR_INVALID: the wire is broken. */
enum err rdata_format(uint16_t type, const uint8_t *rdata, uint16_t len, struct buf *text,
                      struct why *why);
