/*
 * redo_timer -- runs a transaction on the loop again while another transaction holds a
 * row that it wants (ERR_LOCKED). The pauses grow from 5 ms to a tenth of a second. After 5 s
 * the transaction has failed.
 *
 * A timer runs one transaction at a time. It belongs to the object that SELF points to.
 */
#pragma once

#include "base/err.h"

struct loop;
struct redo_timer;

struct redo_timer *redo_timer_new(struct loop *loop, void *self);
/* Forgets the transaction that waits for its next run. */
void redo_timer_free(struct redo_timer **timer);

typedef enum err redo_fn(void *self, struct why *why);
typedef void redo_done_fn(void *self, enum err err, const struct why *why);
/*
 * Runs FN (tx_retry_on_loop()) until it does not end in ERR_LOCKED, and then calls DONE
 * once, perhaps before redo_timer_run() returns. FN must be safe to repeat. DONE may run
 * the next transaction or free the timer.
 */
void redo_timer_run(struct redo_timer *timer, redo_fn *fn, redo_done_fn *done);
