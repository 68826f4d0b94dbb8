/*
 * contrast_words -- a difference in words, for whoever has to find out who made it. They
 * are printable ASCII: what stands in a record is somebody else's, and ends up in logs
 * and on terminals.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/set_diff.h"

enum { CONTRAST_WORDS = 1000 };

/* One more record, of LEN octets as canonical.h has them. */
void contrast_name(struct contrast_side *side, const uint8_t *octets, size_t len);
/*
 * "serves 2 records that are not in serial 17 (www.example.org. 300 A 192.0.2.9; ...) and
 * lacks 1 (www.example.org. 300 A 192.0.2.1)"
 */
void contrast_words(const struct contrast_side *theirs, const struct contrast_side *ours,
                    uint32_t serial, char words[CONTRAST_WORDS]);
