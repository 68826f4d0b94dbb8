#include "core/pace.h"

enum {
	MIN_US = 1000,
	MAX_US = 100 * 1000,
	FIRST_US = 10 * 1000,
};

void pace_init(struct pace *pace)
{
	for (int from = 0; from < PACE_COUNT; from++)
		pace->us[from] = FIRST_US;
}

int pace_ms(const struct pace *pace, enum pace_from from)
{
	return (pace->us[from] + 500) / 1000;
}

void pace_learn(struct pace *pace, enum pace_from from, bool was_served)
{
	int32_t us = pace->us[from];

	us += was_served ? -us / 16 : us / 4;
	if (us < MIN_US)
		us = MIN_US;
	pace->us[from] = us < MAX_US ? us : MAX_US;
}
