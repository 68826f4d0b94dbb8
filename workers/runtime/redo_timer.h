/*
 * redo_timer -- runs a transaction on the event loop. The timer repeats the transaction
 * while other transactions lock a row that this transaction needs (ERR_LOCKED). The
 * pauses between the attempts grow from about 7 to about 100 ms. After 5 s, the
 * transaction fails with ERR_LOCKED.
 *
 * A redo timer runs one transaction at a time. The timer belongs to the object that SELF
 * points to.
 */
#pragma once

#include "base/err.h"

struct loop;
struct redo_timer;

struct redo_timer *redo_timer_new(struct loop *loop, void *self);
/*
 * Frees the timer. If a transaction is waiting for its next run, the transaction does not
 * run again, and DONE does not run.
 */
void redo_timer_free(struct redo_timer **timer);

typedef enum err redo_fn(void *self, struct why *why);
typedef void redo_done_fn(void *self, enum err err, const struct why *why);
/*
 * Runs FN with tx_retry_on_loop(). While the result is ERR_LOCKED, runs FN again, for at
 * most 5 s. After the last run, calls DONE once. DONE can run before redo_timer_run()
 * returns. It must be safe to run FN several times. DONE may start the next transaction
 * or free the timer.
 */
void redo_timer_run(struct redo_timer *timer, redo_fn *fn, redo_done_fn *done);
