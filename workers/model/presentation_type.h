/*
 * presentation_type -- the types of records, for presentation*.c only. The numbers and
 * names of the types come from ldns, and from a table of newer types.
 */
#pragma once

#include <ldns/ldns.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Reads a type such as "AAAA" or "TYPE28", in upper or lower case. Also accepts types
 * that zonefleet does not store, because NSEC and RRSIG records can name such types.
 */
bool rrtype_lookup(const char *text, uint16_t *type);
/*
 * Writes the fields of a type to TEXT, for an error text: ' (CAA: FLAGS TAG "VALUE")'.
 * In TEXT, the names of fields with strings have quotes. If the table in
 * presentation_type.c does not have the type, TEXT is "". Returns TEXT.
 */
enum { FORM_TEXT = 160 };
const char *rrtype_form(uint16_t type, char text[FORM_TEXT]);
/*
 * Returns the minimum number of fields in the data of a type. A list of types at the end
 * does not count, because it can be empty: "CSYNC 66 0".
 */
size_t presentation_minimum(const ldns_rr_descriptor *layout);
