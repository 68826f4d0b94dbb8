#include "consistency/reconcile.h"

#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/membership.h"

struct reconciler {
	const struct reconcile_kind *kind;
	const struct runtime *runtime;
	struct holder *holder;
	struct work *all;
	int count;
	bool is_draining;
};

struct reconciler *reconciler_new(const struct reconcile_kind *kind,
                                  const struct runtime *runtime)
{
	struct reconciler *reconciler = xcalloc(1, sizeof(*reconciler));

	reconciler->kind = kind;
	reconciler->runtime = runtime;
	reconciler->holder = membership_holder(runtime->membership);
	return reconciler;
}

void reconciler_free(struct reconciler **reconciler)
{
	while (*reconciler && (*reconciler)->all)
		work_end((*reconciler)->all);
	free(*reconciler);
	*reconciler = NULL;
}

void reconciler_drain(struct reconciler *reconciler)
{
	reconciler->is_draining = true;
}

bool reconciler_is_idle(const struct reconciler *reconciler)
{
	return !reconciler->count;
}

bool reconciler_can_start(const struct reconciler *reconciler, const char *key)
{
	if (reconciler->is_draining || reconciler->count >= reconciler->kind->at_once)
		return false;
	for (const struct work *work = reconciler->all; work; work = work->next)
		if (!strcmp(work->key, key))
			return false;
	return true;
}

void work_start(void *object, struct reconciler *reconciler, const char *key,
                const char *lock)
{
	struct work *work = object;
	struct why why;

	work->next = reconciler->all;
	reconciler->all = work;
	reconciler->count++;
	work->reconciler = reconciler;
	work->key = xstrdup(key);
	work->arena = arena_new();
	if (holder_take(reconciler->holder, reconciler->runtime->db, lock, 0, &work->held,
	                &why))
		/* another process has the lock; the object stays due */
		work_end(work);
	else
		work_step(work);
}

void work_end(void *object)
{
	struct work *work = object;
	struct reconciler *reconciler = work->reconciler;
	struct work **at = &reconciler->all;

	while (*at != work)
		at = &(*at)->next;
	*at = work->next;
	reconciler->count--;
	rpc_cancel(reconciler->runtime->rpc, work);
	if (work->held)
		holder_drop(reconciler->holder, reconciler->runtime->db, &work->held);
	arena_free(&work->arena);
	free(work->key);
	reconciler->kind->free(work);
}

/* ---- transactions ---- */

struct work_writing {
	struct work *work;
	void (*write)(void *object, struct tx *tx);
	const char *reason;		/* of a failure that is written */
};

static void work_write_failure(const struct work_writing *writing, struct tx *tx)
{
	const struct reconcile_kind *kind = writing->work->reconciler->kind;

	kind->write_failure(writing->work, tx, writing->reason,
	                    backoff_ms(&kind->pause, (int)writing->work->failures,
	                               random_u32()));
}

static enum err work_try_write(void *self, struct why *why)
{
	const struct work_writing *writing = self;
	const struct reconciler *reconciler = writing->work->reconciler;
	struct tx tx = tx_begin(reconciler->runtime->db, why);

	holder_guard(reconciler->holder, &tx, writing->work->held);
	if (writing->reason)
		work_write_failure(writing, &tx);
	else
		writing->write(writing->work, &tx);
	return tx_commit(&tx);
}

void work_fail(void *object, const char *reason)
{
	struct work *work = object;
	struct work_writing writing = { .work = work, .reason = reason };
	struct why why;

	work->reconciler->kind->log_failure(work, reason);
	if (tx_retry_on_loop(work_try_write, &writing, &why))
		log_warn("failure not written: object=\"%s\" reason=\"%s\"", work->key,
		         why.text);
	work_end(work);
}

bool work_write(void *object, void (*write)(void *object, struct tx *tx))
{
	struct work_writing writing = { .work = object, .write = write };
	struct why why;
	enum err err = tx_retry_on_loop(work_try_write, &writing, &why);

	if (err)
		work_fail(object, why.text);
	return !err;
}

void work_write_then(void *object, void (*write)(void *object, struct tx *tx),
                     void (*next)(void *object))
{
	if (work_write(object, write))
		next(object);
}

/* ---- steps ---- */

static void work_read(void *object, struct tx *tx)
{
	struct work *work = object;

	arena_reset(work->arena);
	work->reconciler->kind->read(work, tx);
}

void work_step(void *object)
{
	struct work *work = object;
	struct work_writing reading = { .work = work, .write = work_read };
	struct why why;

	if (work->reconciler->is_draining) {
		work_end(work);
	} else if (tx_retry_on_loop(work_try_write, &reading, &why)) {
		log_warn("object not read: object=\"%s\" reason=\"%s\"", work->key,
		         why.text);
		work_end(work);
	} else {
		work->reconciler->kind->step(work);
	}
}

void work_call(void *object, const struct rpc_target *target, const char *method,
               json_t *args, json_t *context, rpc_answer_fn *answer)
{
	struct work *work = object;
	const struct reconciler *reconciler = work->reconciler;
	struct why why;
	enum err err = rpc_call(reconciler->runtime->rpc, target, method, args, context,
	                        reconciler->kind->call_ms, answer, work, &why);

	json_decref(args);
	json_decref(context);
	if (err)
		work_fail(work, why.text);
}
