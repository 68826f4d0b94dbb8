/*
 * round_orders -- the orders about marks, in a round of their registry.
 */
#pragma once

#include "base/err.h"

struct round;
struct tx;

/* Reads the open orders. */
void round_orders_read(struct round *round, struct tx *tx);
/* Call it when the view is settled and before the plan is made. */
void round_orders_plan(struct round *round);
/* Removes rows before the server is asked. A later round can write them again. */
void round_orders_accept(struct round *round, struct tx *tx);
/* After the round: writes the results and removes the other rows. */
enum err round_orders_settle(void *round, struct why *why);
void round_orders_notify(const struct round *round);
