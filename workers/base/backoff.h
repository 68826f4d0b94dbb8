/*
 * backoff -- computes the pause before attempt n. The pause doubles from first_ms up to
 * max_ms, with a jitter of plus or minus a quarter, so that the processes of a fleet do
 * not try at the same time. The caller passes the random number.
 */
#pragma once

#include <stdint.h>

struct backoff {
	int first_ms, max_ms;
};

/* ATTEMPT starts with 0. RANDOM: any 32 bits. */
int backoff_ms(const struct backoff *backoff, int attempt, uint32_t random);
