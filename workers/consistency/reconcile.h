/*
 * reconcile -- brings objects to the state that their rows describe, many objects at the
 * same time, and each object in only one process.
 *
 * A program starts the work on an object that is due. The work takes the object's lock
 * and makes steps. A step reads the rows of the object, and then calls another service or
 * ends the work. When the answer comes, the program writes the result and makes the next
 * step:
 *
 * work_start() -> step() -> work_call() -> answer -> work_write() -> work_step()
 *                        -> work_end()
 *
 * The lock guards each transaction: a process that has lost the lock writes nothing. A
 * transaction may run several times. A failure ends the work: work_fail() writes the
 * reason and the pause before the next attempt. A process can die at any point. Then the
 * object stays due, and another process makes the next step. It repeats calls without an
 * answer, so each call must be safe to repeat.
 */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "base/backoff.h"
#include "consistency/holder.h"
#include "runtime/redo_timer.h"
#include "runtime/rpc.h"
#include "runtime/tx.h"
#include "runtime/worker.h"

struct work;
struct reconciler;

/* The callbacks get the program's object, which begins with a struct work. */
struct reconcile_kind {
	/* objects at the same time in a process; further objects stay due */
	int at_once;
	int call_ms;			/* time limit of a call */
	struct backoff pause;		/* before the next attempt */
	/* Reads the rows in one transaction; it sets work->failures. */
	void (*read)(void *object, struct tx *tx);
	/* Starts the work that these rows require, or ends it. */
	void (*step)(void *object);
	/* Logs and counts the failure. */
	void (*log_failure)(const void *object, const char *reason);
	void (*write_failure)(void *object, struct tx *tx, const char *reason,
	                      int pause_ms);
	void (*free)(void *object);
};

struct work {
	struct work *next;
	struct reconciler *reconciler;
	char *key;			/* identifies the object in this process */
	char *lock;			/* its name */
	struct held *held;		/* NULL: not started yet */
	struct arena *arena;		/* for one step: it is empty when read() begins */
	struct redo_timer *redo;
	/* the transaction that runs, and what follows it */
	void (*write)(void *object, struct tx *tx);
	void (*then)(void *object);
	char *reason;			/* of a failure that is written */
	uint32_t failures;		/* failures in a row before this attempt */
};

/* RUNTIME must outlive the reconciler. */
struct reconciler *reconciler_new(const struct reconcile_kind *kind,
                                  const struct runtime *runtime);
void reconciler_free(struct reconciler **reconciler);
/* From now on no new work and no step begins. */
void reconciler_drain(struct reconciler *reconciler);
bool reconciler_is_idle(const struct reconciler *reconciler);
/*
 * False: the work on KEY runs already, or the process has enough work. The object stays
 * due.
 */
bool reconciler_can_start(const struct reconciler *reconciler, const char *key);

/*
 * Takes over OBJECT. At the next turn of the loop, so that the answer to a call does not
 * wait for it, the work takes LOCK and makes the first step; it ends if another process
 * has LOCK. Each of the functions below may free the object, unless its comment says
 * otherwise.
 */
void work_start(void *object, struct reconciler *reconciler, const char *key,
                const char *lock);
/*
 * Reads the rows again and starts the work that they require. Ends the work if it cannot
 * read the rows.
 */
void work_step(void *object);
/*
 * Takes over ARGS and CONTEXT (NULL: the program's own). The answer comes after at most
 * call_ms, as ERR_TIMEOUT if the other service is silent.
 */
void work_call(void *object, const struct rpc_target *target, const char *method,
               json_t *args, json_t *context, rpc_answer_fn *answer);
/*
 * Runs WRITE in a guarded transaction, again while its rows are locked (redo_timer.h),
 * and then NEXT. After another failure the work ends by work_fail().
 */
void work_write_then(void *object, void (*write)(void *object, struct tx *tx),
                     void (*next)(void *object));
/* REASON may be in the work's arena. */
void work_fail(void *object, const char *reason);
void work_end(void *object);
