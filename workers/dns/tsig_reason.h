/* tsig_reason -- error texts about TSIG, to print after the server's name. */
#pragma once

#include <stdint.h>

#include "dns/tsig.h"

enum { TSIG_CLOCKS = 120 };		/* size of the text with its NUL */

/* the server's error about the MAC of this process */
const char *tsig_reason_refused(uint16_t error);
/* the error that this process found in the server's TSIG record, or NULL */
const char *tsig_reason_invalid(enum tsig_error error);
/* "the server's clock shows 2027-01-15 10:00:00 UTC, and ...", for the operator */
void tsig_reason_clocks(uint64_t theirs, uint64_t ours, char text[static TSIG_CLOCKS]);
