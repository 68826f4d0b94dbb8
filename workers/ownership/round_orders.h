/* round_orders -- handles orders about ownership marks in a round of the registry. */
#pragma once

#include "base/err.h"

struct round;
struct tx;

/* Reads at most ORDERS_ROUND_MAX open orders of the registry, and their items. */
void round_orders_read(struct round *round, struct tx *tx);
/* Adds the orders to the plan. Call it after view_settle() and before plan_make(). */
void round_orders_plan(struct round *round);
/*
 * Writes the items of the orders with the state ITEM_ACCEPTED, before the round sends
 * the updates. Also changes the rows of owned sets, records and endpoints, as far as an
 * order requires these changes before the updates.
 */
void round_orders_accept(struct round *round, struct tx *tx);
/*
 * Writes the results of the items after the round, and finishes orders without open
 * items.
 */
enum err round_orders_settle(void *round, struct why *why);
/* Sends a notification for each order that has transferred sets. */
void round_orders_notify(const struct round *round);
