/*
 * pace -- learns from polls how long a name server takes to serve a new serial. If the
 * first poll is too early, mini-DNS needs a second poll. If the first poll is too late,
 * the domain becomes ACTIVE late. If a poll finds the new serial, the next wait is a
 * sixteenth shorter. If a poll does not find the new serial, the next wait is a quarter
 * longer. With these steps, about 80 % of the polls find the new serial if the server
 * needs between 1 and 100 ms. When the delay of the server changes, the wait changes too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The event at which the delay begins. A struct pace contains a wait for each event. */
enum pace_from {
	PACE_FROM_NOTIFY,		/* the server answered a NOTIFY */
	PACE_FROM_TRANSFER,		/* a transfer to the server ended */
	PACE_COUNT
};

struct pace {
	int32_t us[PACE_COUNT];
};

void pace_init(struct pace *pace);
/*
 * Returns the wait between the event FROM and the first poll: 1 to 100 ms. If the server
 * is slower, mini-DNS polls more than once.
 */
int pace_ms(const struct pace *pace, enum pace_from from);
void pace_learn(struct pace *pace, enum pace_from from, bool was_served);
