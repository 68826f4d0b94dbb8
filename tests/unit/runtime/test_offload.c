#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "runtime/loop.h"
#include "runtime/offload.h"

enum { JOBS = 4 };

struct story {
	struct loop *loop;
	struct lane *lane;
	sem_t begun, go;	/* a job that waits says so, and waits */
	pthread_t loop_thread;
	int done, wanted;	/* the loop stops at so many */
	char text[32];		/* in order: '0' + number where work ran, 'x' where not */
	struct job {
		struct story *story;
		int number;
		bool worked;
	} jobs[JOBS];
};

static int setup(void **state)
{
	static struct story story;

	memset(&story, 0, sizeof story);
	story.loop = loop_new();
	story.lane = lane_new(story.loop, "a lane with a long name", JOBS - 1);
	story.loop_thread = pthread_self();
	sem_init(&story.begun, 0, 0);
	sem_init(&story.go, 0, 0);
	for (int i = 0; i < JOBS; i++)
		story.jobs[i] = (struct job){ .story = &story, .number = i };
	*state = &story;
	return 0;
}

static int teardown(void **state)
{
	struct story *story = *state;

	lane_free(&story->lane);
	assert_null(story->lane);
	loop_free(&story->loop);
	return 0;
}

static void work(void *self)
{
	struct job *job = self;

	job->worked = !pthread_equal(pthread_self(), job->story->loop_thread);
}

static void work_when_told(void *self)
{
	struct job *job = self;

	sem_post(&job->story->begun);
	sem_wait(&job->story->go);
	work(job);
}

static void done(void *self)
{
	struct job *job = self;
	struct story *story = job->story;
	char letter = job->worked ? '0' + job->number : 'x';

	assert_true(pthread_equal(pthread_self(), story->loop_thread));
	assert_int_equal(lane_job_ran(story->lane), job->worked);
	strncat(story->text, &letter, 1);
	if (++story->done == story->wanted)
		loop_stop(story->loop);
}

static void test_jobs_run_in_order(void **state)
{
	struct story *story = *state;

	story->wanted = JOBS;
	for (int i = 0; i < JOBS; i++)
		assert_true(lane_submit(story->lane, work, done, &story->jobs[i]));
	loop_run(story->loop);
	assert_string_equal(story->text, "0123");
	assert_int_equal(lane_waiting(story->lane), 0);
}

static void test_a_full_lane_refuses(void **state)
{
	struct story *story = *state;

	story->wanted = JOBS;
	for (struct job *job = story->jobs; job < story->jobs + JOBS; job++)
		assert_true(lane_submit(story->lane, work_when_told, done, job));
	assert_false(lane_submit(story->lane, work, done, &story->jobs[0]));
	assert_int_equal(lane_waiting(story->lane), JOBS);
	for (int i = 0; i < JOBS; i++)
		sem_post(&story->go);
	loop_run(story->loop);
	assert_string_equal(story->text, "0123");
	story->wanted = 0;
	story->jobs[0].worked = false;
	assert_true(lane_submit(story->lane, work, done, &story->jobs[0]));
}

static void work_on_until_closed(void *self)
{
	struct job *job = self;
	struct timespec until;

	sem_post(&job->story->begun);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	/* nobody posts: the lane closes meanwhile */
	sem_timedwait(&job->story->go, &until);
	work(job);
}

/* The one in hand is finished, the others are given back without having run. */
static void test_a_closed_lane_loses_no_job(void **state)
{
	struct story *story = *state;

	lane_submit(story->lane, work_on_until_closed, done, &story->jobs[0]);
	for (int i = 1; i < JOBS; i++)
		lane_submit(story->lane, work, done, &story->jobs[i]);
	sem_wait(&story->begun);
	lane_free(&story->lane);
	assert_string_equal(story->text, "0xxx");
}

static void done_and_close(void *self)
{
	struct job *job = self;
	struct story *story = job->story;

	done(job);
	lane_free(&story->lane);
	assert_null(story->lane);
}

static void done_and_submit(void *self)
{
	struct job *job = self;

	done(job);
	assert_false(lane_submit(job->story->lane, work, done, &job->story->jobs[0]));
}

static void test_done_may_close_the_lane(void **state)
{
	struct story *story = *state;

	story->wanted = 3;
	lane_submit(story->lane, work, done_and_close, &story->jobs[0]);
	lane_submit(story->lane, work, done, &story->jobs[1]);
	lane_submit(story->lane, work, done_and_submit, &story->jobs[2]);
	loop_run(story->loop);
	assert_int_equal(story->done, 3);
	assert_int_equal(story->text[0], '0');
}

static void work_and_look(void *self)
{
	struct job *job = self;
	char name[32];
	sigset_t blocked;

	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	pthread_getname_np(pthread_self(), name, sizeof name);
	job->worked = sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGHUP) &&
		      strcmp(name, "a lane with a l") == 0;
}

static void test_the_thread_has_a_name_and_takes_no_signals(void **state)
{
	struct story *story = *state;
	sigset_t blocked;

	story->wanted = 1;
	lane_submit(story->lane, work_and_look, done, &story->jobs[0]);
	loop_run(story->loop);
	assert_string_equal(story->text, "0");
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	assert_int_equal(sigismember(&blocked, SIGTERM), 0);
}

static void done_elsewhere(void *self)
{
	struct job *job = self;

	job->story->wanted = 0;
}

/* The lane that hangs does not hold the other up. */
static void test_lanes_run_side_by_side(void **state)
{
	struct story *story = *state;
	struct lane *hung = lane_new(story->loop, "hung", 0);

	assert_true(lane_submit(hung, work_when_told, done_elsewhere, &story->jobs[0]));
	assert_false(lane_submit(hung, work, done, &story->jobs[0]));
	story->wanted = 1;
	lane_submit(story->lane, work, done, &story->jobs[1]);
	loop_run(story->loop);
	assert_string_equal(story->text, "1");
	sem_post(&story->go);
	lane_free(&hung);
	assert_int_equal(story->wanted, 0);
}

#define STORY(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_jobs_run_in_order),
		STORY(test_a_full_lane_refuses),
		STORY(test_a_closed_lane_loses_no_job),
		STORY(test_done_may_close_the_lane),
		STORY(test_the_thread_has_a_name_and_takes_no_signals),
		STORY(test_lanes_run_side_by_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
