/*
 * reconcile -- brings objects to the state that their rows describe. A process works on
 * many objects at the same time, but only one process works on each object.
 *
 * To start the work on a due object, a process takes the lock of the object and takes the
 * first step. Each step reads the rows of the object. Then the step either calls another
 * service or ends the work. When the answer arrives, the process writes the result and
 * takes the next step:
 *
 * work_start() -> step() -> work_call() -> answer -> work_write() -> work_step()
 *                        -> work_end()
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
	/*
	 * maximum number of objects that a process works on at the same time. All other
	 * objects stay due
	 */
	int at_once;
	int call_ms;			/* time limit of a call */
	struct backoff pause;		/* pause between a failure and the next attempt */
	/* Reads the rows of the object in one transaction, and sets work->failures. */
	void (*read)(void *object, struct tx *tx);
	/* Starts the work that the rows require, or ends the work (work_end()). */
	void (*step)(void *object);
	/* Logs and counts the failure. */
	void (*log_failure)(const void *object, const char *reason);
	void (*write_failure)(void *object, struct tx *tx, const char *reason,
	                      int pause_ms);
	void (*free)(void *object);
};

/*
 * The work on one object. The lock of the object guards each transaction. If a process
 * dies, the object stays due, and another process takes the next step. The new process
 * repeats a call that got no answer. So it must be safe to repeat each call.
 */
struct work {
	struct work *next;
	struct reconciler *reconciler;
	/* name that identifies the object within this process */
	char *key;
	char *lock;			/* name of the lock */
	/* handle of the lock; NULL: the process has not taken the lock yet */
	struct held *held;
	/* memory for one step. The arena is empty when read() begins */
	struct arena *arena;
	struct redo_timer *redo;
	/*
	 * the function that runs in the current transaction, and the function that runs
	 * after the commit
	 */
	void (*write)(void *object, struct tx *tx);
	void (*then)(void *object);
	/* reason of the failure that the process is writing */
	char *reason;
	/* number of consecutive failures before this attempt */
	uint32_t failures;
};

/* RUNTIME must outlive the reconciler. */
struct reconciler *reconciler_new(const struct reconcile_kind *kind,
                                  const struct runtime *runtime);
void reconciler_free(struct reconciler **reconciler);
/* From now on, the reconciler starts no new work and no new step. */
void reconciler_drain(struct reconciler *reconciler);
bool reconciler_is_idle(const struct reconciler *reconciler);
/*
 * False: this process is already working on KEY or on at_once objects, or the process is
 * stopping. The object stays due.
 */
bool reconciler_can_start(const struct reconciler *reconciler, const char *key);

/*
 * Takes over OBJECT. In a later turn of the loop, the process takes LOCK and then calls
 * work_step(). If the process cannot take LOCK, for example because another process holds
 * it, the work ends. Each of the functions below can free OBJECT, so do not use OBJECT
 * after the call.
 */
void work_start(void *object, struct reconciler *reconciler, const char *key,
                const char *lock);
/*
 * Takes the next step: reads the rows again and starts the work that the rows require. If
 * the process cannot read the rows or is stopping, the work ends.
 */
void work_step(void *object);
/*
 * Calls METHOD of another service. Takes over ARGS and CONTEXT. If CONTEXT is NULL, the
 * call has the rights of an administrator. ANSWER runs within call_ms. If the other
 * service does not answer, ANSWER gets ERR_TIMEOUT. If the call cannot start, work_call()
 * calls work_fail() instead of ANSWER.
 */
void work_call(void *object, const struct rpc_target *target, const char *method,
               json_t *args, json_t *context, rpc_answer_fn *answer);
/*
 * Runs WRITE in a transaction that the lock guards, and calls NEXT after the commit. A
 * process that has lost the lock writes nothing. The transaction can run several times,
 * for example while other transactions lock its rows (redo_timer.h). If the last attempt
 * also fails, the process calls work_fail() instead of NEXT.
 */
void work_write_then(void *object, void (*write)(void *object, struct tx *tx),
                     void (*next)(void *object));
/*
 * Logs REASON, writes REASON and the pause before the next attempt, and ends the work.
 * REASON may be in the work's arena. work_fail() first removes the field of the failed
 * call from REASON (err_without_field()).
 */
void work_fail(void *object, const char *reason);
/*
 * Like work_fail(), but keeps the whole REASON. Use it for a reason that does not come
 * from a failed call. Such a reason can begin with the name of a server, which
 * work_fail() would remove.
 */
void work_fail_as(void *object, const char *reason);
void work_end(void *object);
