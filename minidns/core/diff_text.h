/*
 * diff_text -- formats the difference between two zones as text, for an operator who is
 * looking for the cause of the difference. The text is printable ASCII, because record
 * data comes from outside the fleet and appears in logs and on terminals.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/set_diff.h"

enum { DIFF_TEXT_MAX = 1000 };

/* Adds a record to SIDE. OCTETS contains LEN octets in the form of canonical.h. */
void diff_text_add(struct set_diff_side *side, const uint8_t *octets, size_t len);
/*
 * Writes the difference as text, for example "serves 2 records that are not in serial 17
 * (www.example.org. 300 A 192.0.2.9; ...) and lacks 1 record (www.example.org. 300
 * A 192.0.2.1)"
 */
void diff_text_format(const struct set_diff_side *remote,
                      const struct set_diff_side *local, uint32_t serial,
                      char words[DIFF_TEXT_MAX]);
