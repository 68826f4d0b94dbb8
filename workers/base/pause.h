/*
 * pause -- lets a thread without an event loop sleep. A thread with an event loop must
 * use a timer. If such a thread calls pause_ms(), the process ends with bug().
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
