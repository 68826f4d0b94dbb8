/*
 * presentation_type -- the types of records, for presentation*.c only. ldns has their
 * numbers and names.
 */
#pragma once

#include <ldns/ldns.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * "AAAA" or "TYPE28", in any case. Accepts types that cannot be stored (for NSEC, RRSIG).
 */
bool rrtype_lookup(const char *text, uint16_t *type);
