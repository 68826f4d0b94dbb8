/*
 * tsig_reason -- what is wrong with a signature, ours or a server's, in words that go behind
 * the server's name.
 */
#pragma once

#include <stdint.h>

#include "dns/tsig.h"

enum { TSIG_CLOCKS = 96 };		/* with its zero */

const char *tsig_words_refusal(uint16_t error);		/* what it says of ours */
const char *tsig_words_fault(enum tsig_error error);	/* of its own; NULL: none */
/* "it has 2027-01-15 10:00:00 UTC, and we have ...": one is wrong, people know which. */
void tsig_words_clocks(uint64_t theirs, uint64_t ours, char text[static TSIG_CLOCKS]);
