#include "consistency/reconcile.h"

#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/membership.h"
#include "runtime/loop.h"

struct reconciler {
	const struct reconcile_kind *kind;
	const struct runtime *runtime;
	struct holder *holder;
	struct loop_timer *starter;
	struct work *all;
	int count;
	bool is_draining;
};

static void reconciler_start_next(void *self);

struct reconciler *reconciler_new(const struct reconcile_kind *kind,
                                  const struct runtime *runtime)
{
	struct reconciler *reconciler = xcalloc(1, sizeof(*reconciler));

	reconciler->kind = kind;
	reconciler->runtime = runtime;
	reconciler->holder = membership_holder(runtime->membership);
	reconciler->starter = loop_timer_new(runtime->loop, reconciler_start_next,
	                                     reconciler);
	return reconciler;
}

void reconciler_free(struct reconciler **reconciler)
{
	while (*reconciler && (*reconciler)->all)
		work_end((*reconciler)->all);
	if (*reconciler)
		loop_timer_free(&(*reconciler)->starter);
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

	work->next = reconciler->all;
	reconciler->all = work;
	reconciler->count++;
	work->reconciler = reconciler;
	work->key = xstrdup(key);
	work->lock = xstrdup(lock);
	work->arena = arena_new();
	work->redo = redo_timer_new(reconciler->runtime->loop, work);
	loop_timer_set(reconciler->starter, 0);
}

static struct work *reconciler_first_waiting(const struct reconciler *reconciler)
{
	struct work *work = reconciler->all;

	while (work && work->held)
		work = work->next;
	return work;
}

/* One object a turn, so that the loop stays free for others. */
static void reconciler_start_next(void *self)
{
	struct reconciler *reconciler = self;
	struct work *work = reconciler_first_waiting(reconciler);
	struct why why;

	if (!work)
		return;
	loop_timer_set(reconciler->starter, 0);
	if (holder_take(reconciler->holder, reconciler->runtime->db, work->lock, 0,
	                &work->held, &why))
		work_end(work);		/* another process has it, or it stays due */
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
	redo_timer_free(&work->redo);
	arena_free(&work->arena);
	free(work->reason);
	free(work->key);
	free(work->lock);
	reconciler->kind->free(work);
}

/* ---- transactions ---- */

static struct tx work_begin_tx(const struct work *work, struct why *why)
{
	const struct reconciler *reconciler = work->reconciler;
	struct tx tx = tx_begin(reconciler->runtime->db, why);

	holder_guard(reconciler->holder, &tx, work->held);
	return tx_move(&tx);
}

static enum err work_try_write(void *self, struct why *why)
{
	struct work *work = self;
	struct tx tx = work_begin_tx(work, why);

	work->write(work, &tx);
	return tx_commit(&tx);
}

static enum err work_try_write_failure(void *self, struct why *why)
{
	struct work *work = self;
	const struct reconcile_kind *kind = work->reconciler->kind;
	struct tx tx = work_begin_tx(work, why);

	kind->write_failure(work, &tx, work->reason,
	                    backoff_ms(&kind->pause, (int)work->failures, random_u32()));
	return tx_commit(&tx);
}

static void work_on_failure_written(void *self, enum err err, const struct why *why)
{
	struct work *work = self;

	if (err)
		log_warn("failure not recorded: object=\"%s\" reason=\"%s\"", work->key,
		         why->text);
	work_end(work);
}

void work_fail(void *object, const char *reason)
{
	work_fail_as(object, err_without_field(reason));
}

void work_fail_as(void *object, const char *reason)
{
	struct work *work = object;

	work->reason = xstrdup(reason);
	work->reconciler->kind->log_failure(work, reason);
	redo_timer_run(work->redo, work_try_write_failure, work_on_failure_written);
}

static void work_on_written(void *self, enum err err, const struct why *why)
{
	struct work *work = self;

	if (err)
		work_fail(work, why->text);
	else
		work->then(work);
}

void work_write_then(void *object, void (*write)(void *object, struct tx *tx),
                     void (*next)(void *object))
{
	struct work *work = object;

	work->write = write;
	work->then = next;
	redo_timer_run(work->redo, work_try_write, work_on_written);
}

/* ---- steps ---- */

static void work_read(void *object, struct tx *tx)
{
	struct work *work = object;

	arena_reset(work->arena);
	work->reconciler->kind->read(work, tx);
}

static void work_on_read(void *self, enum err err, const struct why *why)
{
	struct work *work = self;

	if (err) {
		log_warn("object not read: object=\"%s\" reason=\"%s\"", work->key,
		         why->text);
		work_end(work);
	} else {
		work->reconciler->kind->step(work);
	}
}

void work_step(void *object)
{
	struct work *work = object;

	if (work->reconciler->is_draining) {
		work_end(work);
		return;
	}
	work->write = work_read;
	redo_timer_run(work->redo, work_try_write, work_on_read);
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
