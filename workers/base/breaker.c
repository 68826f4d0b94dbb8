#include "base/breaker.h"

void breaker_init(struct breaker *breaker, const struct breaker_terms *terms)
{
	*breaker = (struct breaker){ .terms = terms };
}

static int64_t breaker_probe_later(const struct breaker *breaker, int64_t now_ms,
                                   uint32_t random)
{
	return now_ms + backoff_ms(&breaker->terms->pace,
	                           breaker->failures - breaker->terms->failures, random);
}

bool breaker_open(const struct breaker *breaker)
{
	return breaker->failures >= breaker->terms->failures;
}

bool breaker_allows(struct breaker *breaker, int64_t now_ms, uint32_t random)
{
	if (!breaker_open(breaker))
		return true;
	if (now_ms < breaker->probe_at_ms)
		return false;
	breaker->probe_at_ms = breaker_probe_later(breaker, now_ms, random);
	return true;
}

void breaker_failed(struct breaker *breaker, int64_t now_ms, uint32_t random)
{
	/* ignore late failures of attempts that began before the breaker opened */
	if (breaker_open(breaker) && now_ms < breaker->judged_until_ms)
		return;
	breaker->failures++;
	if (!breaker_open(breaker))
		return;
	breaker->probe_at_ms = breaker_probe_later(breaker, now_ms, random);
	breaker->judged_until_ms = breaker->probe_at_ms;
}

bool breaker_succeeded(struct breaker *breaker)
{
	bool was_open = breaker_open(breaker);

	breaker_init(breaker, breaker->terms);
	return was_open;
}
