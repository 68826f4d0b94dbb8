#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "runtime/loop.h"

/* What happened, a letter each, in order. */
struct story {
	struct loop *loop;
	struct loop_timer *timer, *other;
	struct loop_io *io;
	struct loop_async *async;
	int fd[2];
	char text[64];
};

static void tell(struct story *story, const char *letter)
{
	strncat(story->text, letter, sizeof story->text - strlen(story->text) - 1);
}

static int setup(void **state)
{
	static struct story story;

	memset(&story, 0, sizeof story);
	story.loop = loop_new();
	*state = &story;
	return pipe(story.fd);
}

static int teardown(void **state)
{
	struct story *story = *state;

	loop_timer_free(&story->timer);
	loop_timer_free(&story->other);
	loop_io_free(&story->io);
	loop_async_free(&story->async);
	loop_free(&story->loop);
	assert_null(story->loop);
	close(story->fd[0]);
	close(story->fd[1]);
	return 0;
}

static void say_a(void *self) { tell(self, "a"); }
static void say_b(void *self) { tell(self, "b"); }

static void say_stop(void *self)
{
	struct story *story = self;

	tell(story, "s");
	loop_stop(story->loop);
}

static void test_timers_fire_once_and_in_order(void **state)
{
	struct story *story = *state;
	struct loop_timer *stop = loop_timer_new(story->loop, say_stop, story);

	story->timer = loop_timer_new(story->loop, say_a, story);
	story->other = loop_timer_new(story->loop, say_b, story);
	assert_false(loop_timer_armed(story->timer));
	loop_timer_set(stop, 300);	/* from now on: the others are set later */
	loop_timer_set(story->other, 10);
	loop_timer_set(story->timer, 0);
	assert_true(loop_timer_armed(story->timer));
	loop_run(story->loop);
	assert_string_equal(story->text, "abs");
	assert_false(loop_timer_armed(story->timer));
	loop_timer_free(&stop);
	assert_null(stop);
}

static void test_a_cancelled_timer_is_silent(void **state)
{
	struct story *story = *state;

	story->timer = loop_timer_new(story->loop, say_a, story);
	story->other = loop_timer_new(story->loop, say_stop, story);
	loop_timer_set(story->timer, 1);
	loop_timer_set(story->other, 5);
	loop_timer_cancel(story->timer);
	assert_false(loop_timer_armed(story->timer));
	loop_run(story->loop);
	assert_string_equal(story->text, "s");
}

/* A timer counts from the call, not from the beginning of the turn. */
static void take_a_while(void *self)
{
	struct story *story = self;
	int64_t until = clock_ms() + 40;

	while (clock_ms() < until)
		;
	loop_timer_set(story->other, 20);
	loop_timer_set(story->timer, 30);
}

static void test_a_timer_does_not_fire_early(void **state)
{
	struct story *story = *state;
	struct loop_timer *first = loop_timer_new(story->loop, take_a_while, story);
	int64_t begin = clock_ms();

	story->timer = loop_timer_new(story->loop, say_stop, story);
	story->other = loop_timer_new(story->loop, say_a, story);
	loop_timer_set(first, 0);
	loop_run(story->loop);
	assert_string_equal(story->text, "as");
	assert_true(clock_ms() - begin >= 69);
	assert_true(loop_now_ms(story->loop) >= begin + 69);
	loop_timer_free(&first);
}

static void free_itself(void *self)
{
	struct story *story = self;

	tell(story, "f");
	loop_timer_free(&story->timer);
	loop_later(story->loop, say_stop, story);
}

static void test_a_timer_may_free_itself(void **state)
{
	struct story *story = *state;

	story->timer = loop_timer_new(story->loop, free_itself, story);
	loop_timer_set(story->timer, 0);
	loop_run(story->loop);
	assert_string_equal(story->text, "fs");
	assert_null(story->timer);
}

static void on_readable(void *self, int events)
{
	struct story *story = self;

	assert_int_equal(events, LOOP_READ);
	tell(story, "r");
	loop_io_free(&story->io);
	loop_stop(story->loop);
}

static void test_io_may_free_itself(void **state)
{
	struct story *story = *state;

	story->io = loop_io_new(story->loop, story->fd[0], LOOP_READ, on_readable, story);
	assert_int_equal(write(story->fd[1], "x", 1), 1);
	loop_run(story->loop);
	assert_string_equal(story->text, "r");
	assert_null(story->io);
}

static void resume(void *self)
{
	struct story *story = self;

	tell(story, "a");
	loop_io_set(story->io, LOOP_READ);
}

static void test_io_pauses_and_goes_on(void **state)
{
	struct story *story = *state;

	story->io = loop_io_new(story->loop, story->fd[0], LOOP_READ, on_readable, story);
	loop_io_set(story->io, 0);
	assert_int_equal(write(story->fd[1], "x", 1), 1);
	story->timer = loop_timer_new(story->loop, resume, story);
	loop_timer_set(story->timer, 10);
	loop_run(story->loop);
	assert_string_equal(story->text, "ar");
}

static void on_writable(void *self, int events)
{
	struct story *story = self;

	assert_int_equal(events, LOOP_WRITE);
	tell(story, "w");
	loop_stop(story->loop);
}

static void test_io_changes_its_mind(void **state)
{
	struct story *story = *state;

	story->io = loop_io_new(story->loop, story->fd[1], LOOP_READ, on_writable, story);
	loop_io_set(story->io, LOOP_WRITE);
	loop_run(story->loop);
	assert_string_equal(story->text, "w");
}

static void say_a_and_again(void *self)
{
	struct story *story = self;

	tell(story, "a");
	loop_later(story->loop, say_stop, story);
}

/* At the end of a turn comes what was queued before it; the rest one turn on, at once. */
static void test_later_runs_in_order_and_does_not_wait(void **state)
{
	struct story *story = *state;
	int64_t begin = clock_ms();

	story->timer = loop_timer_new(story->loop, say_stop, story);
	loop_timer_set(story->timer, 5000);
	loop_later(story->loop, say_a_and_again, story);
	loop_later(story->loop, say_b, story);
	loop_run(story->loop);
	assert_string_equal(story->text, "abs");
	assert_true(clock_ms() - begin < 2000);
}

static void put_off(void *self, int events)
{
	struct story *story = self;

	(void)events;
	tell(story, "r");
	loop_io_free(&story->io);
	loop_later(story->loop, say_stop, story);
}

/* The timer fires in the turn of the I/O: both come before what is for its end. */
static void test_later_comes_after_all_of_the_turn(void **state)
{
	struct story *story = *state;

	story->io = loop_io_new(story->loop, story->fd[0], LOOP_READ, put_off, story);
	story->timer = loop_timer_new(story->loop, say_a, story);
	loop_timer_set(story->timer, 0);
	assert_int_equal(write(story->fd[1], "x", 1), 1);
	loop_run(story->loop);
	assert_int_equal(strlen(story->text), 3);
	assert_int_equal(story->text[2], 's');
}

static struct story cancelled;

static void cancel_the_rest(void *self)
{
	struct story *story = self;

	tell(story, "c");
	loop_later_cancel(story->loop, &cancelled);
	loop_later(story->loop, say_stop, story);
}

static void test_later_can_be_taken_back(void **state)
{
	struct story *story = *state;

	loop_later(story->loop, say_a, &cancelled);
	loop_later_cancel(story->loop, &cancelled);
	loop_later(story->loop, cancel_the_rest, story);
	loop_later(story->loop, say_a, &cancelled);	/* while its turn is ending */
	loop_later(story->loop, say_b, story);
	loop_run(story->loop);
	assert_string_equal(story->text, "cbs");
	assert_string_equal(cancelled.text, "");
}

static void test_a_stop_before_the_run_counts(void **state)
{
	struct story *story = *state;

	loop_stop(story->loop);
	loop_run(story->loop);
	loop_later(story->loop, say_stop, story);
	loop_run(story->loop);
	assert_string_equal(story->text, "s");
}

static void test_signals_arrive_and_go_with_the_loop(void **state)
{
	struct story *story = *state;
	struct loop *next;

	loop_signal(story->loop, SIGUSR1, say_stop, story);
	raise(SIGUSR1);
	loop_run(story->loop);
	loop_free(&story->loop);
	next = story->loop = loop_new();	/* the old one must have let go */
	loop_signal(next, SIGUSR1, say_stop, story);
	raise(SIGUSR1);
	loop_run(next);
	assert_string_equal(story->text, "ss");
}

static void *send_many(void *self)
{
	for (int i = 0; i < 1000; i++)
		loop_async_send(self);
	return NULL;
}

static void test_another_thread_wakes_the_loop(void **state)
{
	struct story *story = *state;
	pthread_t thread;

	story->async = loop_async_new(story->loop, say_stop, story);
	pthread_create(&thread, NULL, send_many, story->async);
	loop_run(story->loop);
	pthread_join(thread, NULL);
	assert_int_equal(story->text[0], 's');
}

static void count_down(void *self)
{
	struct story *story = self;

	if (--story->fd[1] == 0)
		loop_stop(story->loop);
}

static void test_ten_thousand_timers(void **state)
{
	enum { MANY = 10000 };
	static struct loop_timer *timers[MANY];
	struct story *story = *state;
	int writer = story->fd[1];

	story->fd[1] = MANY / 2;
	for (int i = 0; i < MANY; i++) {
		timers[i] = loop_timer_new(story->loop, count_down, story);
		loop_timer_set(timers[i], i % 2 ? 60000 : i % 50);
	}
	loop_run(story->loop);
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(loop_timer_armed(timers[i]), i % 2);
		loop_timer_free(&timers[i]);
	}
	story->fd[1] = writer;
}

static void limit_descriptors(rlim_t count)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = count;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void *raise_limit_at_a_lack(void *self)
{
	(void)self;
	while (descriptors_lacks() == 0)
		sched_yield();
	limit_descriptors(256);
	return NULL;
}

/*
 * A descriptor that is closed while a copy of it stays open brings an event that nobody
 * waits for. libev then makes its epoll set anew, and needs a descriptor for that.
 */
static void test_it_waits_for_a_descriptor(void **state)
{
	struct story *story = *state;
	int copy = dup(story->fd[0]);
	pthread_t thread;

	story->io = loop_io_new(story->loop, copy, LOOP_READ, on_readable, story);
	story->timer = loop_timer_new(story->loop, say_stop, story);
	loop_timer_set(story->timer, 1);
	loop_run(story->loop);
	loop_io_free(&story->io);
	close(copy);
	assert_int_equal(write(story->fd[1], "x", 1), 1);
	limit_descriptors(3);
	assert_int_equal(pthread_create(&thread, NULL, raise_limit_at_a_lack, NULL), 0);
	loop_timer_set(story->timer, 10);
	loop_run(story->loop);
	loop_timer_set(story->timer, 1);
	loop_run(story->loop);
	pthread_join(thread, NULL);
	story->io = loop_io_new(story->loop, story->fd[0], LOOP_READ, on_readable, story);
	loop_run(story->loop);
	assert_string_equal(story->text, "sssr");
}

#define STORY(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_timers_fire_once_and_in_order),
		STORY(test_a_cancelled_timer_is_silent),
		STORY(test_a_timer_does_not_fire_early),
		STORY(test_a_timer_may_free_itself),
		STORY(test_io_may_free_itself),
		STORY(test_io_pauses_and_goes_on),
		STORY(test_io_changes_its_mind),
		STORY(test_later_runs_in_order_and_does_not_wait),
		STORY(test_later_comes_after_all_of_the_turn),
		STORY(test_later_can_be_taken_back),
		STORY(test_a_stop_before_the_run_counts),
		STORY(test_signals_arrive_and_go_with_the_loop),
		STORY(test_another_thread_wakes_the_loop),
		STORY(test_ten_thousand_timers),
		STORY(test_it_waits_for_a_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
