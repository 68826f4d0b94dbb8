/*
 * sweep -- deletes old rows, on its own lane (thread). Each central process deletes old
 * rows. The transactions are short, and two processes may run the same step at the same
 * time.
 */
#pragma once

#include "central.h"

void sweep_start(struct central *central);
void sweep_stop(struct central *central);
void sweep_fire(void *self);	/* the function of a timer */
