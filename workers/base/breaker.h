/*
 * breaker -- a circuit breaker a server: after so many failures in a row
 * nothing is tried on it but a probe now and then, at growing intervals, so
 * that a dead server costs next to nothing. The first success closes it.
 * Pure: the caller brings the time and the random number.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/backoff.h"

struct breaker_terms {
	int failures;			/* in a row, that open it */
	struct backoff pace;		/* of the probes */
};

struct breaker {
	const struct breaker_terms *terms;
	int failures;			/* in a row */
	int64_t probe_at_ms;		/* open: nothing is tried before */
	int64_t judged_until_ms;	/* open: earlier failures are old attempts' */
};

/* Closed. The terms must live as long. */
void breaker_init(struct breaker *breaker, const struct breaker_terms *terms);
bool breaker_open(const struct breaker *breaker);
/* May something be tried now? When open, a yes is the probe: the next is later. */
bool breaker_allows(struct breaker *breaker, int64_t now_ms, uint32_t random);
void breaker_failed(struct breaker *breaker, int64_t now_ms, uint32_t random);
/* True when this closed it: what waited may go. */
bool breaker_succeeded(struct breaker *breaker);
