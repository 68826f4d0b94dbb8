#include "core/silence.h"

static const struct breaker_terms terms = {
	SILENCE_ZONES, { .first_ms = 1000, .max_ms = 4000 },
};

void silence_init(struct silence *silence)
{
	breaker_init(&silence->breaker, &terms);
	silence->heard_ms = INT64_MIN;
}

bool silence_is(const struct silence *silence)
{
	return breaker_open(&silence->breaker);
}

bool silence_allows(struct silence *silence, int64_t now_ms, uint32_t random)
{
	if (!silence_is(silence))
		return true;
	if (!breaker_allows(&silence->breaker, now_ms, random))
		return false;
	breaker_failed(&silence->breaker, now_ms, random);
	return true;
}

static bool silence_is_counted(const struct silence *silence, const struct name *zone)
{
	for (int i = 0; i < silence->breaker.failures; i++)
		if (name_equal(&silence->zones[i], zone))
			return true;
	return false;
}

bool silence_unanswered(struct silence *silence, const struct unanswered *question,
                        int64_t now_ms, uint32_t random)
{
	int count = silence->breaker.failures;

	if (question->asked_ms <= silence->heard_ms || silence_is(silence) ||
	    silence_is_counted(silence, question->zone))
		return false;
	silence->zones[count] = *question->zone;
	breaker_failed(&silence->breaker, now_ms, random);
	return silence_is(silence);
}

bool silence_heard(struct silence *silence, int64_t now_ms)
{
	silence->heard_ms = now_ms;
	return breaker_succeeded(&silence->breaker);
}
