#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/pause.h"
#include "runtime/loop.h"

/* In a process of its own, for a broken invariant ends it. */
static bool dies(void (*fn)(void *), void *self)
{
	pid_t pid = fork();
	int how;

	if (!pid) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		signal(SIGABRT, SIG_DFL);
		close(STDERR_FILENO);
		fn(self);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &how, 0), pid);
	return WIFSIGNALED(how) && WTERMSIG(how) == SIGABRT;
}

static void it_lasts_as_long_as_said(void **state)
{
	int64_t began_ms = clock_ms();

	(void)state;
	pause_ms(20);
	assert_true(clock_ms() - began_ms >= 20);
}

static void *pause_a_little(void *self)
{
	pause_ms(1);
	return self;
}

static void pause_here(void *self)
{
	(void)self;
	pause_ms(1);
}

static void pause_beside(void *self)
{
	struct loop *loop = self;
	pthread_t thread;

	pthread_create(&thread, NULL, pause_a_little, NULL);
	pthread_join(thread, NULL);
	loop_stop(loop);
}

static void run_loop(loop_fn *fn)
{
	struct loop *loop = loop_new();
	struct loop_timer *timer = loop_timer_new(loop, fn, loop);

	loop_timer_set(timer, 0);
	loop_run(loop);
	loop_timer_free(&timer);
	loop_free(&loop);
}

static void run_loop_that_pauses(void *self)
{
	(void)self;
	run_loop(pause_here);
}

/* The thread that runs a loop, while it does: no other, and not before or after. */
static void on_a_loop_it_is_a_bug(void **state)
{
	(void)state;
	assert_true(dies(run_loop_that_pauses, NULL));
	run_loop(pause_beside);
	pause_ms(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_lasts_as_long_as_said),
		cmocka_unit_test(on_a_loop_it_is_a_bug),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
