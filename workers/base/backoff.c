#include "base/backoff.h"

#include <limits.h>

int backoff_ms(const struct backoff *backoff, int attempt, uint32_t random)
{
	int64_t wait = backoff->first_ms, spread;

	for (; attempt > 0 && wait > 0 && wait < backoff->max_ms; attempt--)
		wait *= 2;
	if (wait > backoff->max_ms)
		wait = backoff->max_ms;
	spread = wait / 4;
	wait += (2 * spread + 1) * random / (UINT32_MAX + INT64_C(1)) - spread;
	return wait < INT_MAX ? wait : INT_MAX;
}
