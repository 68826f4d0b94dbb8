/*
 * breaker -- a circuit breaker for one server. The breaker opens after a number of
 * failures in a row. An open breaker allows only probes, at growing intervals. So a
 * server that does not answer costs little time. The first success closes the breaker.
 * The caller passes the time and the random number.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/backoff.h"

struct breaker_terms {
	int failures;			/* failures in a row that open the breaker */
	struct backoff pace;		/* the pauses between probes */
};

struct breaker {
	const struct breaker_terms *terms;
	int failures;			/* in a row */
	int64_t probe_at_ms;		/* if open: time of the next probe */
	int64_t judged_until_ms;	/* if open: failures count from then on */
};

/* The breaker starts closed. It borrows the terms. */
void breaker_init(struct breaker *breaker, const struct breaker_terms *terms);
bool breaker_open(const struct breaker *breaker);
/* True: an attempt is allowed now. If the breaker is open, the attempt is the probe. */
bool breaker_allows(struct breaker *breaker, int64_t now_ms, uint32_t random);
void breaker_failed(struct breaker *breaker, int64_t now_ms, uint32_t random);
/* True: this success closed the breaker, so waiting work may run. */
bool breaker_succeeded(struct breaker *breaker);
