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

#include <stdio.h>

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
/* Appends wire rdata as canonical text. ERR_INVALID: the wire is broken. */
enum err rdata_format(uint16_t type, const uint8_t *rdata, uint16_t len, struct buf *text,
                      struct why *why);

/* Reads a master file record by record, with $ORIGIN, $TTL and parentheses. */
struct master_file;
struct master_file *master_file_open(FILE *file, const char *path, const char *origin,
                                     uint32_t default_ttl);
/* Reads the next record, valid until the next call. *found is false at the end. */
enum err master_file_next(struct master_file *master, struct rr *rr, bool *found,
                          struct why *why);
void master_file_close(struct master_file **master);
