/*
 * tsig_reason -- error texts about signatures, which follow the server's name.
 */
#pragma once

#include <stdint.h>

#include "dns/tsig.h"

enum { TSIG_CLOCKS = 96 };		/* with its zero */

const char *tsig_reason_refused(uint16_t error);	/* its error about ours */
const char *tsig_reason_invalid(enum tsig_error error);	/* our error about its, or NULL */
/* "it has 2027-01-15 10:00:00 UTC, and we have ...", for the operator */
void tsig_reason_clocks(uint64_t theirs, uint64_t ours, char text[static TSIG_CLOCKS]);
