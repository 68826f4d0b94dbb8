/*
 * pace -- how long a name server takes to serve what it was told of, learned
 * from the polls themselves. A first poll that comes too early costs another;
 * one that comes late delays a domain. So a poll that found the new serial
 * makes the next wait a sixteenth shorter, and one that did not a quarter
 * longer: by that, four of five come right, whatever the server's delay, and
 * when the delay changes the wait follows it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A server has one for each thing that its delay is counted from. */
enum pace_from {
	PACE_FROM_NOTIFY,		/* its answer to a NOTIFY */
	PACE_FROM_TRANSFER,		/* the end of a transfer to it */
	PACE_COUNT
};

struct pace {
	int32_t us[PACE_COUNT];
};

void pace_init(struct pace *pace);
/* 1 to 100 ms: a slower server is asked more than once. */
int pace_ms(const struct pace *pace, enum pace_from from);
void pace_learn(struct pace *pace, enum pace_from from, bool was_served);
