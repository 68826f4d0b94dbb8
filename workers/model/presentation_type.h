/*
 * presentation_type -- the types of records, for presentation*.c only: ldns
 * owns their numbers, their names and the layout of their fields.
 */
#pragma once

#include <ldns/ldns.h>
#include <stdbool.h>
#include <stdint.h>

/* "AAAA" or "TYPE28", either case, storable or not: a type as data (NSEC, RRSIG). */
bool rrtype_lookup(const char *text, uint16_t *type);
/* NULL: some field of the type has no text here (field_kind()). */
const ldns_rr_descriptor *rrtype_layout(uint16_t type);
