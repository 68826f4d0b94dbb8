/*
 * rare -- a line of the log that anybody can cause: one a second is said at most, and
 * with it how many were not.
 *
 * Pure. All zeroes is a good start.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct rare {
	int64_t silent_until_ms;
	uint64_t unsaid;
};

/*
 * Is it to be said? Then *unsaid is how many were not since the last one that was. The
 * time is that of a clock that never goes back.
 */
bool rare_says(struct rare *rare, int64_t now_ms, uint64_t *unsaid);
