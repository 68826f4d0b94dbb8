/*
 * backoff -- how long to wait before try n: doubles from first_ms up to
 * max_ms, with a jitter of plus or minus a quarter, so that a fleet does not
 * come back in step. Pure: the caller brings the random number.
 */
#pragma once

#include <stdint.h>

struct backoff {
	int first_ms, max_ms;
};

/* attempt counts from 0; random is any 32 bits. */
int backoff_ms(const struct backoff *backoff, int attempt, uint32_t random);
