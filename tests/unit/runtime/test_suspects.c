#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/id.h"
#include "runtime/poison.h"

#define POISON "00000000000000000000000000000001"
#define OTHER  "00000000000000000000000000000002"

static int set_up(void **state)
{
	(void)state;
	suspects_init(2);
	return 0;
}

/* A process that takes IDS (up to NULL) in hand, and ends before or after it has done. */
static void live(int place, const char *const *ids, bool to_the_end)
{
	pid_t pid = fork();

	if (!pid) {
		suspects_process(place);
		for (; *ids; ids++)
			suspects_enter(*ids);
		if (to_the_end)
			suspects_leave_all();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void what_was_in_hand_is_suspect(void **state)
{
	static const char *const both[] = { POISON, OTHER, NULL };

	(void)state;
	live(1, both, false);
	suspects_died(1, true);
	assert_int_equal(suspects_deaths(POISON), 1);
	assert_int_equal(suspects_deaths(OTHER), 1);
	assert_int_equal(suspects_deaths("00000000000000000000000000000003"), 0);
}

static void deaths_add_up(void **state)
{
	static const char *const one[] = { POISON, NULL };

	(void)state;
	for (int deaths = 2; deaths <= SUSPECT_DEATHS_MAX; deaths++) {
		live(0, one, false);
		suspects_died(0, true);
		assert_int_equal(suspects_deaths(POISON), deaths);
	}
	assert_int_equal(suspects_deaths(OTHER), 1);
}

static void other_deaths_do_not_count(void **state)
{
	static const char *const one[] = { OTHER, NULL };

	(void)state;
	live(0, one, false);
	suspects_died(0, false);		/* SIGKILL: an operator's */
	live(0, one, true);
	suspects_died(0, true);			/* in no handler */
	suspects_died(0, true);
	assert_int_equal(suspects_deaths(OTHER), 1);
}

/* However many come, the table keeps its size, and the newest. */
static void the_oldest_make_room(void **state)
{
	char ids[SUSPECTS_NOTED][ID_LEN + 1];
	const char *list[SUSPECTS_NOTED + 1] = { 0 };

	(void)state;
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < SUSPECTS_NOTED; i++) {
			id_random(ids[i]);
			list[i] = ids[i];
		}
		live(0, list, false);
		suspects_died(0, true);
		assert_int_equal(suspects_deaths(ids[0]), 1);
		assert_int_equal(suspects_deaths(ids[SUSPECTS_NOTED - 1]), 1);
	}
	assert_int_equal(suspects_deaths(POISON), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_in_hand_is_suspect),
		cmocka_unit_test(deaths_add_up),
		cmocka_unit_test(other_deaths_do_not_count),
		cmocka_unit_test(the_oldest_make_room),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
