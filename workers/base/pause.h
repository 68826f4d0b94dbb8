/*
 * pause -- a sleep for threads that have no event loop. A thread with an event loop must
 * use a timer: a pause in such a thread is a bug.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

void pause_ms(int64_t ms);
/*
 * Forbids or allows pauses in the calling thread, and returns the previous value. A
 * running event loop forbids pauses.
 */
bool pause_forbid(bool forbidden);
