#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/id.h"

#define HEX "0123456789abcdef0123456789abcdef"

static void test_parse(void **state)
{
	static const struct {
		const char *text, *want;	/* NULL: neither form */
	} cases[] = {
		{ HEX, HEX },
		{ "01234567-89ab-cdef-0123-456789abcdef", HEX },
		{ "", NULL },
		{ "0123456789abcdef0123456789abcde", NULL },
		{ HEX "0", NULL },
		{ HEX "\n", NULL },
		{ "0123456789ABCDEF0123456789ABCDEF", NULL },
		{ "0123456789abcdeg0123456789abcdef", NULL },
		{ "01234567-89ab-cdef-0123-456789abcde", NULL },
		{ "01234567-89ab-cdef-0123-456789abcdef0", NULL },
		{ "012345678-9ab-cdef-0123-456789abcdef", NULL },
		{ "01234567-89ab-cdef-0123-456789abcdeF", NULL },
		{ "01234567a89abacdefa0123a456789abcdef", NULL },
		{ "--------------------------------", NULL },
		{ "{1234567-89ab-cdef-0123-456789abcde}", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char id[ID_LEN + 1] = "untouched";

		assert_int_equal(id_valid(cases[i].text), cases[i].want != NULL);
		assert_int_equal(id_parse(cases[i].text, id), cases[i].want != NULL);
		assert_string_equal(id, cases[i].want ? cases[i].want : "untouched");
	}
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void assert_all_differ(void (*make)(char id[ID_LEN + 1]))
{
	enum { COUNT = 2000 };
	static char ids[COUNT][ID_LEN + 1];

	for (int i = 0; i < COUNT; i++) {
		make(ids[i]);
		assert_true(id_valid(ids[i]));
		assert_int_equal(strlen(ids[i]), ID_LEN);
	}
	qsort(ids, COUNT, sizeof ids[0], compare);
	for (int i = 1; i < COUNT; i++)
		assert_string_not_equal(ids[i - 1], ids[i]);
}

static void test_all_differ(void **state)
{
	(void)state;
	assert_all_differ(id_new);
	assert_all_differ(id_random);
}

/* As id.c asks for it: time() may be some milliseconds behind. */
static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void test_new_begins_with_the_time(void **state)
{
	uint64_t before = now_ms(), after;
	unsigned long long ms;
	char id[ID_LEN + 1];

	(void)state;
	id_new(id);
	after = now_ms();
	assert_int_equal(sscanf(id, "%12llx", &ms), 1);
	assert_in_range(ms, before, after);
}

/* Every bit of the number is seen both ways. */
static void test_random_u32(void **state)
{
	uint32_t ones = 0, zeroes = 0;

	(void)state;
	for (int i = 0; i < 200; i++) {
		uint32_t value = random_u32();

		ones |= value;
		zeroes |= ~value;
	}
	assert_int_equal(ones, UINT32_MAX);
	assert_int_equal(zeroes, UINT32_MAX);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_all_differ),
		cmocka_unit_test(test_new_begins_with_the_time),
		cmocka_unit_test(test_random_u32),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
