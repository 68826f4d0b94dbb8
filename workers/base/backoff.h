/*
 * backoff -- the pause before attempt n: it doubles from first_ms up to max_ms, with a
 * jitter of plus or minus a quarter, so that a fleet does not try at the same time. Pure:
 * the caller passes the random number.
 */
#pragma once

#include <stdint.h>

struct backoff {
	int first_ms, max_ms;
};

/* attempt counts from 0; random is any 32 bits. */
int backoff_ms(const struct backoff *backoff, int attempt, uint32_t random);
