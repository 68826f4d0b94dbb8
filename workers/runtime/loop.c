#include "runtime/loop.h"

#include <errno.h>
#include <ev.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/pause.h"

enum { LACK_PAUSE_MS = 10 };

struct later {
	struct later *next;
	loop_fn *fn;
	void *self;
};

struct loop_signal {
	ev_signal watcher;
	struct loop_signal *next;
	loop_fn *fn;
	void *self;
};

struct loop {
	struct ev_loop *ev;
	ev_check turn_begin;	/* runs before all other callbacks of a turn */
	ev_prepare turn_end;	/* runs after them, before the next wait */
	ev_idle no_wait;	/* active while `later` has entries */
	struct later *later, **later_end;
	struct later *ending;	/* the entries of the turn that ends now */
	struct loop_signal *signals;
	int64_t now_ms;
	uint64_t turn;
	bool stopped;
};

/* The libev watcher is the first member, so a pointer to it points to the struct. */
struct loop_io {
	ev_io watcher;
	int events;	/* what it waits for: LOOP_READ, LOOP_WRITE */
	struct loop *loop;
	loop_io_fn *fn;
	void *self;
};

struct loop_timer {
	ev_timer watcher;
	struct loop *loop;
	loop_fn *fn;
	void *self;
};

struct loop_async {
	ev_async watcher;
	struct loop *loop;
	loop_fn *fn;
	void *self;
};

/* ---- the loop ---- */

/*
 * libev tries again when this returns. It has its own descriptor. While it makes its
 * epoll set again, another thread may get the number of the descriptor that it closed.
 */
static void loop_on_system_error(const char *what)
{
	if (descriptors_lack("the event loop")) {
		if (!descriptors_spend())
			poll(NULL, 0, LACK_PAUSE_MS);
		return;
	}
	fatal("event loop failed: call=%s reason=\"%s\"", what, strerror(errno));
}

static void loop_on_turn_begin(struct ev_loop *ev, ev_check *watcher, int events)
{
	struct loop *loop = watcher->data;

	(void)ev, (void)events;
	loop->now_ms = clock_ms();
	loop->turn++;
	descriptors_reserve();
}

static struct later *later_take(struct later **list)
{
	struct later *first = *list;

	if (first)
		*list = first->next;
	return first;
}

/* Entries that are added from now on belong to the next turn, which must not wait. */
static void loop_on_turn_end(struct ev_loop *ev, ev_prepare *watcher, int events)
{
	struct loop *loop = watcher->data;
	struct later *later;

	(void)events;
	ev_idle_stop(ev, &loop->no_wait);
	loop->ending = loop->later;
	loop->later = NULL;
	loop->later_end = &loop->later;
	while ((later = later_take(&loop->ending))) {
		loop_fn *fn = later->fn;
		void *self = later->self;

		free(later);
		fn(self);
	}
}

static void loop_on_idle(struct ev_loop *ev, ev_idle *watcher, int events)
{
	(void)ev, (void)watcher, (void)events;	/* the active watcher prevents a wait */
}

struct loop *loop_new(void)
{
	struct loop *loop = xcalloc(1, sizeof *loop);

	ev_set_syserr_cb(loop_on_system_error);
	descriptors_reserve();
	loop->ev = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	if (!loop->ev)
		fatal("event loop failed: reason=\"libev supports no polling method of "
		      "this system\"");
	loop->now_ms = clock_ms();
	loop->later_end = &loop->later;
	ev_idle_init(&loop->no_wait, loop_on_idle);
	ev_check_init(&loop->turn_begin, loop_on_turn_begin);
	ev_set_priority(&loop->turn_begin, EV_MAXPRI);
	ev_prepare_init(&loop->turn_end, loop_on_turn_end);
	loop->turn_begin.data = loop->turn_end.data = loop;
	ev_check_start(loop->ev, &loop->turn_begin);
	ev_prepare_start(loop->ev, &loop->turn_end);
	return loop;
}

/* libev keeps the loop of each signal: it must not keep a freed one. */
static void loop_signals_clear(struct loop *loop)
{
	struct loop_signal *signal = loop->signals;

	while (signal) {
		struct loop_signal *next = signal->next;

		ev_signal_stop(loop->ev, &signal->watcher);
		free(signal);
		signal = next;
	}
}

void loop_free(struct loop **loop)
{
	struct later *later;

	if (!*loop)
		return;
	loop_signals_clear(*loop);
	while ((later = later_take(&(*loop)->later)))
		free(later);
	ev_loop_destroy((*loop)->ev);
	descriptors_spend();
	free(*loop);
	*loop = NULL;
}

/* libev ignores a break before its run, and would then run forever. */
void loop_run(struct loop *loop)
{
	bool before = pause_forbid(true);

	if (!loop->stopped)
		ev_run(loop->ev, 0);
	loop->stopped = false;
	pause_forbid(before);
}

void loop_stop(struct loop *loop)
{
	loop->stopped = true;
	ev_break(loop->ev, EVBREAK_ONE);
}

int64_t loop_now_ms(const struct loop *loop)
{
	return loop->now_ms;
}

uint64_t loop_turn(const struct loop *loop)
{
	return loop->turn;
}

/* ---- descriptors ---- */

static int loop_ev_events(int events)
{
	return (events & LOOP_READ ? EV_READ : 0) | (events & LOOP_WRITE ? EV_WRITE : 0);
}

/* EV_ERROR comes with both: the read or write gets the error in errno. */
static void loop_on_io(struct ev_loop *ev, ev_io *watcher, int events)
{
	struct loop_io *io = (struct loop_io *)watcher;

	(void)ev;
	io->fn(io->self, (events & EV_READ ? LOOP_READ : 0) |
			 (events & EV_WRITE ? LOOP_WRITE : 0));
}

struct loop_io *loop_io_new(struct loop *loop, int fd, int events, loop_io_fn *fn,
                            void *self)
{
	struct loop_io *io = xcalloc(1, sizeof *io);

	io->loop = loop;
	io->fn = fn;
	io->self = self;
	ev_io_init(&io->watcher, loop_on_io, fd, 0);
	loop_io_set(io, events);
	return io;
}

void loop_io_set(struct loop_io *io, int events)
{
	if (io->events == events)
		return;
	io->events = events;
	ev_io_stop(io->loop->ev, &io->watcher);
	ev_io_set(&io->watcher, io->watcher.fd, loop_ev_events(events));
	if (events)
		ev_io_start(io->loop->ev, &io->watcher);
}

void loop_io_free(struct loop_io **io)
{
	if (!*io)
		return;
	ev_io_stop((*io)->loop->ev, &(*io)->watcher);
	free(*io);
	*io = NULL;
}

/* ---- timers ---- */

static void loop_on_timer(struct ev_loop *ev, ev_timer *watcher, int events)
{
	struct loop_timer *timer = (struct loop_timer *)watcher;

	(void)ev, (void)events;
	timer->fn(timer->self);
}

struct loop_timer *loop_timer_new(struct loop *loop, loop_fn *fn, void *self)
{
	struct loop_timer *timer = xcalloc(1, sizeof *timer);

	timer->loop = loop;
	timer->fn = fn;
	timer->self = self;
	ev_init(&timer->watcher, loop_on_timer);
	return timer;
}

/*
 * libev counts from the start of the turn. After a callback of a second the timer would
 * fire a second early, so this adds the time since the start of the turn.
 */
void loop_timer_set(struct loop_timer *timer, int64_t after_ms)
{
	int64_t passed_ms = clock_ms() - timer->loop->now_ms;

	bug_if(after_ms < 0);
	ev_timer_stop(timer->loop->ev, &timer->watcher);
	ev_timer_set(&timer->watcher, (after_ms ? after_ms + passed_ms : 0) / 1e3, 0.);
	ev_timer_start(timer->loop->ev, &timer->watcher);
}

void loop_timer_cancel(struct loop_timer *timer)
{
	ev_timer_stop(timer->loop->ev, &timer->watcher);
}

bool loop_timer_armed(const struct loop_timer *timer)
{
	return ev_is_active(&timer->watcher) || ev_is_pending(&timer->watcher);
}

void loop_timer_free(struct loop_timer **timer)
{
	if (!*timer)
		return;
	loop_timer_cancel(*timer);
	free(*timer);
	*timer = NULL;
}

/* ---- the end of a turn, signals, other threads ---- */

void loop_later(struct loop *loop, loop_fn *fn, void *self)
{
	struct later *later = xcalloc(1, sizeof *later);

	later->fn = fn;
	later->self = self;
	*loop->later_end = later;
	loop->later_end = &later->next;
	ev_idle_start(loop->ev, &loop->no_wait);
}

/* Both lists: an entry of the ending turn may cancel another one. */
void loop_later_cancel(struct loop *loop, void *self)
{
	struct later **lists[] = { &loop->ending, &loop->later };

	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		struct later **at = lists[i];

		while (*at)
			if ((*at)->self == self)
				free(later_take(at));
			else
				at = &(*at)->next;
		if (lists[i] == &loop->later)
			loop->later_end = at;
	}
}

static void loop_on_signal(struct ev_loop *ev, ev_signal *watcher, int events)
{
	struct loop_signal *signal = (struct loop_signal *)watcher;

	(void)ev, (void)events;
	signal->fn(signal->self);
}

void loop_signal(struct loop *loop, int signum, loop_fn *fn, void *self)
{
	struct loop_signal *signal = xcalloc(1, sizeof *signal);

	signal->fn = fn;
	signal->self = self;
	signal->next = loop->signals;
	loop->signals = signal;
	ev_signal_init(&signal->watcher, loop_on_signal, signum);
	ev_signal_start(loop->ev, &signal->watcher);
}

static void loop_on_async(struct ev_loop *ev, ev_async *watcher, int events)
{
	struct loop_async *async = (struct loop_async *)watcher;

	(void)ev, (void)events;
	async->fn(async->self);
}

struct loop_async *loop_async_new(struct loop *loop, loop_fn *fn, void *self)
{
	struct loop_async *async = xcalloc(1, sizeof *async);

	async->loop = loop;
	async->fn = fn;
	async->self = self;
	ev_async_init(&async->watcher, loop_on_async);
	ev_async_start(loop->ev, &async->watcher);
	return async;
}

void loop_async_send(struct loop_async *async)
{
	ev_async_send(async->loop->ev, &async->watcher);
}

void loop_async_free(struct loop_async **async)
{
	if (!*async)
		return;
	ev_async_stop((*async)->loop->ev, &(*async)->watcher);
	free(*async);
	*async = NULL;
}
