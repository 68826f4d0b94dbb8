/*
 * backoff -- computes the pause before attempt n. The pause before attempt 0 is
 * first_ms. The pause doubles with each further attempt, up to max_ms. backoff_ms()
 * changes this pause at random by up to a quarter (jitter), so that the processes of a
 * fleet do not all retry at the same time. The caller passes the random number.
 */
#pragma once

#include <stdint.h>

struct backoff {
	int first_ms, max_ms;
};

/* Returns the pause before the attempt. ATTEMPT starts with 0. RANDOM: any 32 bits. */
int backoff_ms(const struct backoff *backoff, int attempt, uint32_t random);
