/*
 * pause -- to do nothing for a while: for threads that have nothing else to do. A thread
 * that runs an event loop sets a timer instead; there it is a bug, always.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

void pause_ms(int64_t ms);
/* Of the calling thread; returns what held before. The loop says so while it runs. */
bool pause_forbid(bool forbidden);
