/*
 * presentation_type -- the types of records, for presentation*.c only: ldns
 * owns their numbers and their names.
 */
#pragma once

#include <ldns/ldns.h>
#include <stdbool.h>
#include <stdint.h>

/* "AAAA" or "TYPE28", either case, storable or not: a type as data (NSEC, RRSIG). */
bool rrtype_lookup(const char *text, uint16_t *type);
