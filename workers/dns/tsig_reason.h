/* tsig_reason -- error texts about TSIG. The name of the server precedes each text. */
#pragma once

#include <stdint.h>

#include "dns/tsig.h"

enum { TSIG_CLOCKS = 120 };		/* maximum size of the text, with its NUL */

/* Returns the text for an error with which the server refused the query. */
const char *tsig_reason_refused(uint16_t error);
/*
 * Returns the text for an error in the TSIG record of the server's answer. NULL: no
 * error.
 */
const char *tsig_reason_invalid(enum tsig_error error);
/* Writes for example "the server's clock shows 2027-01-15T10:00:00.000Z, and ...". */
void tsig_reason_clocks(uint64_t theirs, uint64_t ours, char text[static TSIG_CLOCKS]);
