#include "core/breaker.h"

#include "base/backoff.h"

static const struct backoff pace = { .first_ms = 1000, .max_ms = 60 * 1000 };

static int64_t next_probe(const struct breaker *breaker, int64_t now_ms, uint32_t random)
{
	return now_ms + backoff_ms(&pace, breaker->failures - BREAKER_FAILURES, random);
}

bool breaker_open(const struct breaker *breaker)
{
	return breaker->failures >= BREAKER_FAILURES;
}

bool breaker_allows(struct breaker *breaker, int64_t now_ms, uint32_t random)
{
	if (!breaker_open(breaker))
		return true;
	if (now_ms < breaker->probe_at_ms)
		return false;
	breaker->probe_at_ms = next_probe(breaker, now_ms, random);
	return true;
}

void breaker_failed(struct breaker *breaker, int64_t now_ms, uint32_t random)
{
	/* What was out before the breaker opened fails late: it teaches nothing new. */
	if (breaker_open(breaker) && now_ms < breaker->judged_until_ms)
		return;
	breaker->failures++;
	if (!breaker_open(breaker))
		return;
	breaker->probe_at_ms = next_probe(breaker, now_ms, random);
	breaker->judged_until_ms = breaker->probe_at_ms;
}

bool breaker_succeeded(struct breaker *breaker)
{
	bool was_open = breaker_open(breaker);

	*breaker = (struct breaker){ 0 };
	return was_open;
}
