#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/secret.h"

/* Do the flags of its mapping in smaps have "dd", for MADV_DONTDUMP? */
static bool is_left_out_of_cores(const void *at)
{
	FILE *smaps = fopen("/proc/self/smaps", "r");
	unsigned long from, to;
	bool is_within = false, is_left_out = false;
	char line[512];

	assert_non_null(smaps);
	while (fgets(line, sizeof line, smaps)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			is_within = from <= (uintptr_t)at && (uintptr_t)at < to;
		if (is_within && strncmp(line, "VmFlags:", 8) == 0)
			is_left_out = strstr(line, " dd") != NULL;
	}
	fclose(smaps);
	return is_left_out;
}

static void test_a_text(void **state)
{
	char *secret = secret_strdup("change-me"), *none = secret_strdup("");
	char plain[] = "change-me";

	(void)state;
	assert_string_equal(secret, "change-me");
	assert_string_equal(none, "");
	assert_true(is_left_out_of_cores(secret));
	assert_true(is_left_out_of_cores(none));
	assert_false(is_left_out_of_cores(plain));
	secret_free(secret);
	secret_free(none);
	secret_free(NULL);
}

static void test_a_large_one(void **state)
{
	const size_t size = 3 * 1000 * 1000;
	char *secret = secret_alloc(size);

	(void)state;
	for (size_t i = 0; i < size; i++)
		assert_int_equal(secret[i], 0);
	memset(secret, 'x', size);
	assert_true(is_left_out_of_cores(secret + size - 1));
	secret_free(secret);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_text),
		cmocka_unit_test(test_a_large_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
