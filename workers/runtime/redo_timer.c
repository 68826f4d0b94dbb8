#include "runtime/redo_timer.h"

#include <stdlib.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/loop.h"
#include "runtime/tx.h"

enum { LOCKED_MS = 5000 };		/* the longest total wait for a locked row */

static const struct backoff redo_pause = { .first_ms = 7, .max_ms = 100 };

struct redo_timer {
	struct loop_timer *timer;
	int tries;
	int64_t until_ms;
	redo_fn *fn;
	redo_done_fn *done;
	void *self;
};

static void redo_timer_fire(void *self)
{
	struct redo_timer *timer = self;
	struct why why;
	enum err err = tx_retry_on_loop(timer->fn, timer->self, &why);

	if (err == ERR_LOCKED && clock_ms() < timer->until_ms)
		loop_timer_set(timer->timer,
		               backoff_ms(&redo_pause, timer->tries++, random_u32()));
	else
		timer->done(timer->self, err, &why);
}

struct redo_timer *redo_timer_new(struct loop *loop, void *self)
{
	struct redo_timer *timer = xcalloc(1, sizeof(*timer));

	timer->timer = loop_timer_new(loop, redo_timer_fire, timer);
	timer->self = self;
	return timer;
}

void redo_timer_free(struct redo_timer **timer)
{
	if (*timer)
		loop_timer_free(&(*timer)->timer);
	free(*timer);
	*timer = NULL;
}

void redo_timer_run(struct redo_timer *timer, redo_fn *fn, redo_done_fn *done)
{
	bug_if(loop_timer_armed(timer->timer));
	timer->tries = 0;
	timer->until_ms = clock_ms() + LOCKED_MS;
	timer->fn = fn;
	timer->done = done;
	redo_timer_fire(timer);
}
