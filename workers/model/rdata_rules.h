/*
 * rdata_rules -- the rules of RFCs for the data of a single record, in addition to the
 * syntax of its fields (presentation_field.h). A name server refuses a whole zone
 * because of one record that breaks such a rule. So zonefleet refuses to store such a
 * record, no matter in which text form a caller writes the record. Rules about several
 * records are in central/core/rules.h.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Checks RDATA in wire format. The names in the RDATA must not be compressed.
 * ERR_INVALID: the reason begins with FIELD and names the RFC and the section.
 */
enum err rdata_check(uint16_t type, const uint8_t *rdata, size_t len, const char *field,
                     struct why *why);
