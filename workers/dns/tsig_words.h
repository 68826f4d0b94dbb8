/*
 * tsig_words -- what is wrong with a signature, ours or a server's, in words that go behind
 * the server's name.
 */
#pragma once

#include <stdint.h>

#include "dns/tsig.h"

const char *tsig_words_refusal(uint16_t error);		/* what it says of ours */
const char *tsig_words_fault(enum tsig_error error);	/* of its own; NULL: none */
