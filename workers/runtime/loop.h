/*
 * loop -- the event loop of a process, based on libev. Only loop.c uses libev.
 *
 * Watchers are on the heap. loop_io_new() and loop_async_new() start the watcher that
 * they return. loop_timer_set() starts a timer, which fires only once. loop_io_free(),
 * loop_timer_free() and loop_async_free() stop the watcher and set the pointer to NULL.
 * A callback may free its own watcher. Callbacks must not block: use the lanes of
 * offload.h for work that blocks. Free a watcher before closing its descriptor and
 * before freeing its loop.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct loop;
struct loop_io;
struct loop_timer;
struct loop_async;

enum { LOOP_READ = 1, LOOP_WRITE = 2 };

typedef void loop_io_fn(void *self, int events);
typedef void loop_fn(void *self);

struct loop *loop_new(void);		/* call it after the fork */
void loop_free(struct loop **loop);
/*
 * runs until a callback calls loop_stop(). If loop_stop() was called before loop_run(),
 * returns immediately
 */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);
/* returns the time at which this turn of the loop began, by clock_ms() */
int64_t loop_now_ms(const struct loop *loop);
/* returns the number of this turn of the loop */
uint64_t loop_turn(const struct loop *loop);

struct loop_io *loop_io_new(struct loop *loop, int fd, int events, loop_io_fn *fn,
                            void *self);
void loop_io_set(struct loop_io *io, int events);	/* 0: pauses the watcher */
void loop_io_free(struct loop_io **io);

/*
 * loop_timer_new() makes a timer that is not armed. loop_timer_set() arms the timer, or
 * arms it again with a new time. If AFTER_MS is 0, the timer fires in the next turn.
 */
struct loop_timer *loop_timer_new(struct loop *loop, loop_fn *fn, void *self);
void loop_timer_set(struct loop_timer *timer, int64_t after_ms);
void loop_timer_cancel(struct loop_timer *timer);
bool loop_timer_armed(const struct loop_timer *timer);
void loop_timer_free(struct loop_timer **timer);

/*
 * Runs FN once, at the end of this turn, after all pending I/O callbacks. If the end of
 * the turn has already begun, FN runs at the end of the next turn. Use loop_later() to
 * handle several events in one batch.
 */
void loop_later(struct loop *loop, loop_fn *fn, void *self);
/* cancels all loop_later() calls for SELF */
void loop_later_cancel(struct loop *loop, void *self);

/*
 * loop_async_send() makes FN run soon on the thread of the loop. If loop_async_send() is
 * called several times before FN runs, FN possibly runs only once. loop_async_send() is
 * the only function of this module that another thread may call.
 */
struct loop_async *loop_async_new(struct loop *loop, loop_fn *fn, void *self);
void loop_async_send(struct loop_async *async);
void loop_async_free(struct loop_async **async);

/*
 * Calls FN on the loop after the process has received the signal SIGNUM. Call
 * loop_signal() only once for each signal.
 */
void loop_signal(struct loop *loop, int signum, loop_fn *fn, void *self);
