/*
 * sweep -- removes old rows, on a lane of its own. Each process of each central does it:
 * the transactions are short, and two processes may do the same step.
 */
#pragma once

#include "central.h"

void sweep_start(struct central *central);
void sweep_stop(struct central *central);
void sweep_fire(void *self);	/* the timer's */
