/*
 * reconcile -- brings objects to the state that their rows ask for, many at once, and
 * each object in one process only.
 *
 * A program starts the work on an object that is due. The work takes the object's lock
 * and makes steps. A step reads the rows of the object, and calls another service or
 * ends the work. When the answer is there, the program writes the result and makes the
 * next step:
 *
 *	work_start() -> step() -> work_call() -> answer -> work_write() -> work_step()
 *	                       -> work_end()
 *
 * The lock guards each transaction: after the loss of the lock nothing is written. A
 * failure ends the work: work_fail() writes the reason and the pause before the next
 * attempt. A process can die at any point. The object stays due, another process makes
 * the next step, and repeats calls without an answer: each call must be safe to repeat.
 */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "base/backoff.h"
#include "consistency/holder.h"
#include "runtime/rpc.h"
#include "runtime/tx.h"
#include "runtime/worker.h"

struct work;
struct reconciler;

/* The callbacks get the program's object, which begins with a struct work. */
struct reconcile_kind {
	int at_once;			/* objects of a process; others stay due */
	int call_ms;			/* time limit of a call */
	struct backoff pause;		/* before the next attempt */
	/* Reads the rows in one transaction; work->failures is set here. */
	void (*read)(void *object, struct tx *tx);
	/* Begins what these rows ask for, or ends the work. */
	void (*step)(void *object);
	/* Logs and counts the failure, and writes it: the next attempt is in PAUSE_MS. */
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
	struct arena *arena;		/* of one step: read() begins with an empty one */
	uint32_t failures;		/* in a row, before this attempt */
};

/* RUNTIME outlives it. */
struct reconciler *reconciler_new(const struct reconcile_kind *kind,
                                  const struct runtime *runtime);
void reconciler_free(struct reconciler **reconciler);
/* From now on no work and no step begins. */
void reconciler_drain(struct reconciler *reconciler);
bool reconciler_is_idle(const struct reconciler *reconciler);
/* False if KEY is under way, or the process has enough: the object stays due. */
bool reconciler_can_start(const struct reconciler *reconciler, const char *key);

/*
 * Takes OBJECT. At the next turn of the loop, so that a caller's answer does not wait for
 * it, the work takes LOCK and makes the first step; it ends if another process has LOCK.
 * After each function below the object may be gone, unless the function says otherwise.
 */
void work_start(void *object, struct reconciler *reconciler, const char *key,
                const char *lock);
/* Reads the rows again and begins what they ask for. Unreadable rows end the work. */
void work_step(void *object);
/* Steals ARGS and CONTEXT (NULL: the program's own). The answer comes later, or never. */
void work_call(void *object, const struct rpc_target *target, const char *method,
               json_t *args, json_t *context, rpc_answer_fn *answer);
/* One guarded transaction. False: it failed, and the object is gone. */
bool work_write(void *object, void (*write)(void *object, struct tx *tx));
void work_write_then(void *object, void (*write)(void *object, struct tx *tx),
                     void (*next)(void *object));
/* REASON may be in the work's arena. */
void work_fail(void *object, const char *reason);
void work_end(void *object);
