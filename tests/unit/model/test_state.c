#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/domain.h"
#include "model/state.h"

static void exactly_the_pairs_of_the_seed_exist(void **state)
{
	static const bool want[TASK_COUNT][STATUS_COUNT] = {
		/*                PENDING ACTIVE ERROR  DELETED */
		[TASK_ADD]    = { true,   false, true,  false },
		[TASK_UPDATE] = { true,   false, true,  false },
		[TASK_DELETE] = { true,   false, true,  false },
		[TASK_NONE]   = { false,  true,  false, true  },
	};

	(void)state;
	for (int task = 0; task < TASK_COUNT; task++)
		for (int status = 0; status < STATUS_COUNT; status++)
			assert_int_equal(state_valid(task, status), want[task][status]);
	assert_false(state_valid(TASK_COUNT, STATUS_ACTIVE));
	assert_false(state_valid(TASK_NONE, STATUS_COUNT));
}

static void names_read_back(void **state)
{
	enum task task;
	enum status status;
	enum report report;
	enum action action;

	(void)state;
	for (int i = 0; i < TASK_COUNT; i++)
		assert_true(task_parse(task_name(i), &task) && (int)task == i);
	for (int i = 0; i < STATUS_COUNT; i++)
		assert_true(status_parse(status_name(i), &status) && (int)status == i);
	for (int i = 0; i < REPORT_COUNT; i++)
		assert_true(report_parse(report_name(i), &report) && (int)report == i);
	for (int i = 0; i < ACTION_COUNT; i++)
		assert_true(action_parse(action_name(i), &action) && (int)action == i);
}

static void names_are_those_of_the_wire(void **state)
{
	(void)state;
	assert_string_equal(task_name(TASK_ADD), "ADD");
	assert_string_equal(task_name(TASK_NONE), "NONE");
	assert_string_equal(status_name(STATUS_PENDING), "PENDING");
	assert_string_equal(status_name(STATUS_DELETED), "DELETED");
	assert_string_equal(report_name(REPORT_NO_DOMAIN), "NO_DOMAIN");
	assert_string_equal(action_name(ACTION_CREATE), "CREATE");
}

static void other_words_are_refused(void **state)
{
	static const char *const words[] = { "", "add", "ADD ", "ADDED", "pending", "?" };
	enum task task = TASK_NONE;
	enum status status = STATUS_ACTIVE;
	enum report report = REPORT_ERROR;
	enum action action = ACTION_UPDATE;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_false(task_parse(words[i], &task));
		assert_false(status_parse(words[i], &status));
		assert_false(report_parse(words[i], &report));
		assert_false(action_parse(words[i], &action));
	}
	assert_int_equal(task, TASK_NONE);
	assert_int_equal(status, STATUS_ACTIVE);
	assert_int_equal(report, REPORT_ERROR);
	assert_int_equal(action, ACTION_UPDATE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exactly_the_pairs_of_the_seed_exist),
		cmocka_unit_test(names_read_back),
		cmocka_unit_test(names_are_those_of_the_wire),
		cmocka_unit_test(other_words_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
