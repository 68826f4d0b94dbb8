#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/descriptors.h"

static struct rlimit before;

static int setup(void **state)
{
	(void)state;
	descriptors_lacks();
	return getrlimit(RLIMIT_NOFILE, &before);
}

static int teardown(void **state)
{
	(void)state;
	descriptors_spend();
	return setrlimit(RLIMIT_NOFILE, &before);
}

static void limit_to(rlim_t count)
{
	struct rlimit limit = { count, before.rlim_max };

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void test_only_a_lack_is_one(void **state)
{
	static const struct {
		int error;
		bool want;
	} cases[] = {
		{ EMFILE, true }, { ENFILE, true },
		{ 0, false }, { ENOENT, false }, { ENOMEM, false },
		{ ECONNREFUSED, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		errno = cases[i].error;
		assert_int_equal(descriptors_lack("a test"), cases[i].want);
		assert_int_equal(errno, cases[i].error);
	}
	assert_int_equal(descriptors_lacks(), 2);
	assert_int_equal(descriptors_lacks(), 0);
}

static void test_the_last_are_kept_from_clients(void **state)
{
	static const struct {
		rlim_t limit;
		int first;		/* of those that are kept */
	} cases[] = { { 1024, 992 }, { 128, 96 }, { 64, 48 }, { 20, 15 } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		limit_to(cases[i].limit);
		assert_false(descriptors_are_scarce(cases[i].first - 1));
		assert_true(descriptors_are_scarce(cases[i].first));
		assert_true(descriptors_are_scarce((int)cases[i].limit + 5));
	}
}

static void test_the_reserve_is_one_descriptor(void **state)
{
	int next = dup(0);

	(void)state;
	close(next);
	assert_false(descriptors_spend());
	descriptors_reserve();
	descriptors_reserve();
	limit_to(next + 1);
	assert_int_equal(dup(0), -1);
	assert_true(descriptors_lack("a test"));
	assert_true(descriptors_spend());
	assert_int_equal(dup(0), next);
	descriptors_reserve();
	assert_false(descriptors_spend());
	close(next);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_only_a_lack_is_one, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_last_are_kept_from_clients,
		                                setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_reserve_is_one_descriptor, setup,
		                                teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
