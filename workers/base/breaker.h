/*
 * breaker -- a circuit breaker for one server. The breaker opens after a number of
 * consecutive failures. An open breaker allows only probes, with pauses between them.
 * After each failed probe, the next pause is longer, up to a limit. So a server that
 * does not answer costs little time. The first success closes the breaker. The caller
 * passes the time and the random number.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/backoff.h"

struct breaker_terms {
	int failures;	/* number of consecutive failures that opens the breaker */
	struct backoff pace;		/* the pauses between probes of an open breaker */
};

struct breaker {
	const struct breaker_terms *terms;
	int failures;			/* number of consecutive failures */
	int64_t probe_at_ms;	/* if the breaker is open: time of the next probe */
	/* if the breaker is open: breaker_failed() ignores failures before this time */
	int64_t judged_until_ms;
};

/* Initialises a closed breaker. The breaker borrows TERMS. */
void breaker_init(struct breaker *breaker, const struct breaker_terms *terms);
bool breaker_open(const struct breaker *breaker);
/*
 * True: the caller may make an attempt now. If the breaker is open, this attempt is a
 * probe.
 */
bool breaker_allows(struct breaker *breaker, int64_t now_ms, uint32_t random);
void breaker_failed(struct breaker *breaker, int64_t now_ms, uint32_t random);
/*
 * Closes the breaker. True: the breaker was open, so the caller can now start the work
 * that waits for the server.
 */
bool breaker_succeeded(struct breaker *breaker);
