/*
 * round_orders -- what somebody ordered to be done with marks, in a registry's round.
 */
#pragma once

#include "base/err.h"

struct round;
struct tx;

/* Those that are open are read. */
void round_orders_read(struct round *round, struct tx *tx);
/* They are for sets of the view, which is settled, before the plan is owned. */
void round_orders_plan(struct round *round);
/* Rows that go before the server is asked: in doubt they are missing, and owned again. */
void round_orders_accept(struct round *round, struct tx *tx);
/* The round is over: what came of them, and rows that may go only now. */
enum err round_orders_settle(void *round, struct why *why);
void round_orders_notify(const struct round *round);	/* who hears notifications */
