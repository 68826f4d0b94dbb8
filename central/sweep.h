/*
 * sweep -- removes what is too old, on a lane of its own, and takes up the
 * imports that a dead process left. Every process of every central does it:
 * each piece is a short transaction, and two that meet do no harm.
 */
#pragma once

#include "central.h"

void sweep_start(struct central *central);
void sweep_stop(struct central *central);
void sweep_fire(void *self);	/* the timer's */
