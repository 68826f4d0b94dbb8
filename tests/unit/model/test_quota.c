#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "model/quota.h"

static void names_read_back(void **state)
{
	struct why why;
	enum quota quota;

	(void)state;
	for (enum quota i = 0; i < QUOTA_COUNT; i++) {
		assert_int_equal(quota_parse(quota_name(i), &quota, &why), OK);
		assert_int_equal(quota, i);
		assert_true(quota_fields[i].help[0]);
	}
	assert_non_null(quota_fields[QUOTA_COUNT].name);
}

static void other_words_are_refused(void **state)
{
	static const struct { const char *word, *quoted; } cases[] = {
		{ "", "not ''" },
		{ "domain", "not 'domain'" },
		{ "Domains", "not 'Domains'" },
		{ "domains ", "not 'domains '" },
		{ "has_domains", "not 'has_domains'" },
		{ "\n", "not '?'" },
	};
	struct why why;
	enum quota quota;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(quota_parse(cases[i].word, &quota, &why), ERR_INVALID);
		assert_non_null(strstr(why.text, cases[i].quoted));
		for (enum quota row = 0; row < QUOTA_COUNT; row++)
			assert_non_null(strstr(why.text, quota_name(row)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_read_back),
		cmocka_unit_test(other_words_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
