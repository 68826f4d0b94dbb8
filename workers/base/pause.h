/*
 * pause -- sleeps, for threads without a loop. A thread that runs an event loop sets a
 * timer instead: there a pause is a bug.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

void pause_ms(int64_t ms);
/* For the calling thread; returns the previous value. A running loop forbids pauses. */
bool pause_forbid(bool forbidden);
