#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "core/silence.h"

static const uint32_t HALF = UINT32_C(1) << 31;

static struct name zone(int number)
{
	char text[32];
	struct name name;
	struct why why;

	snprintf(text, sizeof(text), "zone%d.test.", number);
	assert_int_equal(name_parse(text, "zone", &name, &why), OK);
	return name;
}

/* Asked at ASKED_MS, and given up at NOW_MS. */
static bool unanswered(struct silence *silence, int number, int64_t asked_ms,
                       int64_t now_ms)
{
	struct name name = zone(number);
	struct unanswered question = { &name, asked_ms };

	return silence_unanswered(silence, &question, now_ms, HALF);
}

/* Silent at 30 s: all were asked at 1 s, the last one first. */
static struct silence silent(void)
{
	struct silence silence;

	silence_init(&silence);
	for (int i = 0; i < SILENCE_ZONES; i++) {
		assert_false(silence_is(&silence));
		assert_true(silence_allows(&silence, 30000, HALF));
		assert_int_equal(unanswered(&silence, i, 1000 - i, 30000),
		                 i == SILENCE_ZONES - 1);
	}
	assert_true(silence_is(&silence));
	return silence;
}

static void test_some_zones_in_a_row(void **unused)
{
	struct silence silence = silent();

	(void)unused;
	assert_false(silence_allows(&silence, 30000, HALF));
	assert_false(unanswered(&silence, 100, 1000, 30001));
}

static void test_two_zones_alone_are_no_silence(void **unused)
{
	struct silence silence;

	(void)unused;
	silence_init(&silence);
	for (int i = 0; i < 100; i++)
		assert_false(unanswered(&silence, i % 2, 1000 * i, 1000 * i + 500));
	assert_false(silence_is(&silence));
}

static void test_an_answer_begins_a_new_row(void **unused)
{
	struct silence silence;

	(void)unused;
	silence_init(&silence);
	for (int i = 0; i < 100; i++) {
		assert_false(unanswered(&silence, i, 1000 * i + 1, 1000 * i + 500));
		if (i % (SILENCE_ZONES - 1) == 0)
			assert_false(silence_heard(&silence, 1000 * i + 999));
	}
}

/* What was out while the server answered another says nothing; nor after its return. */
static void test_what_was_asked_before_an_answer_does_not_count(void **unused)
{
	struct silence silence = silent();

	(void)unused;
	assert_true(silence_heard(&silence, 31000));
	assert_false(silence_heard(&silence, 31000));
	for (int i = 0; i < 100; i++)
		assert_false(unanswered(&silence, i, 31000, 61000));
	assert_true(silence_allows(&silence, 61000, HALF));
	for (int i = 0; i < SILENCE_ZONES; i++)
		unanswered(&silence, i, 31001, 61000);
	assert_true(silence_is(&silence));
}

/* However long the answers to probes are waited for. */
static void test_probes_come_at_growing_pauses(void **unused)
{
	struct silence silence = silent();
	int64_t last_ms = 30000, pause_ms = 0;

	(void)unused;
	for (int64_t now_ms = 30000; now_ms < 300000; now_ms += 10) {
		if (!silence_allows(&silence, now_ms, HALF))
			continue;
		assert_true(now_ms - last_ms >= pause_ms);
		pause_ms = now_ms - last_ms;
		last_ms = now_ms;
	}
	assert_in_range(pause_ms, 3900, 4100);
}

static void test_none_is_far_away(void **unused)
{
	(void)unused;
	for (uint32_t i = 0; i < 1000; i++) {
		struct silence silence = silent();
		int64_t now_ms = 30000;

		for (int probe = 0; probe < 20; probe++) {
			now_ms += 5000;
			assert_true(silence_allows(&silence, now_ms, i * 4294967u));
			assert_false(silence_allows(&silence, now_ms, i * 4294967u));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_some_zones_in_a_row),
		cmocka_unit_test(test_two_zones_alone_are_no_silence),
		cmocka_unit_test(test_an_answer_begins_a_new_row),
		cmocka_unit_test(test_what_was_asked_before_an_answer_does_not_count),
		cmocka_unit_test(test_probes_come_at_growing_pauses),
		cmocka_unit_test(test_none_is_far_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
