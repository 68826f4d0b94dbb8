#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/health.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void what_a_row_becomes(void **unused)
{
	static const struct {
		const char *name;
		struct health health;
		struct evidence evidence;
		struct health_move want;	/* next_ms: is there one? */
	} rows[] = {
		{ "nothing is found out",   { 0, true },  { false, 0 }, { false, 0 } },
		{ "it answers, as ever",    { 0, true },  { true,  0 }, { false, 0 } },
		{ "it fails once",          { 0, true },  { false, 1 }, { true, 1 } },
		{ "it fails again",         { 1, true },  { false, 1 }, { true, 2 } },
		{ "it fails too often",     { 2, true },  { false, 1 },
		  { true, 3, 1, true } },
		{ "it fails often at once", { 0, true },  { false, 9 },
		  { true, 9, 1, true } },
		{ "it answers in time",     { 2, true },  { true,  0 }, { true, 0 } },
		{ "a late failure",         { 3, false }, { false, 7 }, { false, 3, 1 } },
		{ "its time has come",      { 3, true },  { false, 1 }, { true, 4, 1 } },
		{ "it answers again",       { 9, false }, { true,  0 },
		  { true, 0, 0, false, true } },
		{ "it answers, then fails", { 9, false }, { true,  1 },
		  { true, 1, 0, false, true } },
		{ "it answers, and is bad", { 9, false }, { true,  4 }, { true, 4, 1 } },
	};

	(void)unused;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct health_move move = health_decide(&rows[i].health,
		                                        &rows[i].evidence, 1);

		print_message("%s\n", rows[i].name);
		assert_int_equal(move.is_news, rows[i].want.is_news);
		assert_int_equal(move.failures, rows[i].want.failures);
		assert_int_equal(move.next_ms > 0, rows[i].want.next_ms > 0);
		assert_int_equal(move.opens, rows[i].want.opens);
		assert_int_equal(move.closes, rows[i].want.closes);
	}
}

static void only_silence_is_a_failure(void **unused)
{
	static const enum err answers[] = { OK, ERR_REMOTE, ERR_DENIED, ERR_NOT_FOUND,
	                                    ERR_EXISTS, ERR_CONFLICT, ERR_TOO_LARGE };
	enum sign want[ERR_COUNT] = { [ERR_TIMEOUT] = SIGN_FAILURE,
	                              [ERR_UNREACHABLE] = SIGN_FAILURE };

	(void)unused;
	for (size_t i = 0; i < COUNT(answers); i++)
		want[answers[i]] = SIGN_ANSWER;
	for (enum err err = OK; err < ERR_COUNT; err++) {
		print_message("%s\n", err_name(err));
		assert_int_equal(health_sign_of(err), want[err]);
	}
}

/* Each is later than the one before, up to a limit, and is not taken back by itself. */
static void probes_come_at_growing_intervals(void **unused)
{
	struct health health = { 3, true };
	int64_t last_ms = 0;

	(void)unused;
	for (int i = 0; i < 20; i++) {
		struct health_move move = health_probe(&health, UINT32_MAX / 2);

		assert_true(move.is_news && !move.opens && !move.closes);
		assert_true(move.next_ms >= last_ms);
		last_ms = move.next_ms;
		health.failures = move.failures;
		assert_true(health_is_open(&health));
	}
	assert_in_range(last_ms, 10 * 1000 - 2, 10 * 1000 + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_row_becomes),
		cmocka_unit_test(only_silence_is_a_failure),
		cmocka_unit_test(probes_come_at_growing_intervals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
