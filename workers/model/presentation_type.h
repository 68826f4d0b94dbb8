/*
 * presentation_type -- the types of records, for presentation*.c only. Their numbers and
 * names come from ldns.
 */
#pragma once

#include <ldns/ldns.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Reads "AAAA" or "TYPE28", in any case. Also accepts types that zonefleet does not
 * store (for NSEC, RRSIG).
 */
bool rrtype_lookup(const char *text, uint16_t *type);
/*
 * Writes the fields of a type with several fields, for a reason: ' (CAA: FLAGS TAG
 * "VALUE")'. Strings have quotes. "" if the type has one field. Returns TEXT.
 */
enum { FORM_TEXT = 160 };
const char *rrtype_form(uint16_t type, char text[FORM_TEXT]);
/*
 * The number of fields that data must have. A list of types at the end may be empty:
 * "CSYNC 66 0".
 */
size_t presentation_minimum(const ldns_rr_descriptor *layout);
