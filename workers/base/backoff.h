/*
 * backoff -- computes the pause before attempt n. The pause doubles from first_ms up to
 * max_ms. A jitter of plus or minus a quarter spreads the attempts of the processes of a
 * fleet. The caller passes the random number.
 */
#pragma once

#include <stdint.h>

struct backoff {
	int first_ms, max_ms;
};

/* ATTEMPT starts with 0. RANDOM: any 32 bits. */
int backoff_ms(const struct backoff *backoff, int attempt, uint32_t random);
