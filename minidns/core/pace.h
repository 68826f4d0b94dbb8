/*
 * pace -- how long a name server takes to serve a new serial. mini-DNS learns it from its
 * polls. A first poll that comes too early costs a second poll; a late one delays the
 * domain. So a poll that finds the new serial makes the next wait a sixteenth shorter,
 * and a poll that does not find it makes the wait a quarter longer. With these steps four
 * of five polls come right, whatever the server's delay is. When the delay changes, the
 * wait follows.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The event at which the delay begins. A server has a pace for each. */
enum pace_from {
	PACE_FROM_NOTIFY,		/* the server answered a NOTIFY */
	PACE_FROM_TRANSFER,		/* a transfer to the server ended */
	PACE_COUNT
};

struct pace {
	int32_t us[PACE_COUNT];
};

void pace_init(struct pace *pace);
/* 1 to 100 ms: a slower server gets more than one poll. */
int pace_ms(const struct pace *pace, enum pace_from from);
void pace_learn(struct pace *pace, enum pace_from from, bool was_served);
