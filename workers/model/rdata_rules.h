/*
 * rdata_rules -- what RFCs say about the data of a single record, beyond the kinds of its
 * fields. A name server refuses a whole zone for one such record, so zonefleet refuses
 * the record when it is written, in any form of text. Rules about several records are in
 * central/core/rules.h.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Checks data on the wire, without compression. ERR_INVALID: the reason begins with FIELD
 * and names the RFC and the section.
 */
enum err rdata_check(uint16_t type, const uint8_t *rdata, size_t len, const char *field,
                     struct why *why);
