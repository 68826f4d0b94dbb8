/* round_orders -- handles orders about ownership marks in a round of the registry. */
#pragma once

#include "base/err.h"

struct round;
struct tx;

/* Reads the open orders. */
void round_orders_read(struct round *round, struct tx *tx);
/* Adds the orders to the plan. Call it after view_settle() and before plan_make(). */
void round_orders_plan(struct round *round);
/* Removes rows before the round sends the updates. A later round can write them again. */
void round_orders_accept(struct round *round, struct tx *tx);
/* Writes the results after the round and removes the other rows. */
enum err round_orders_settle(void *round, struct why *why);
void round_orders_notify(const struct round *round);
