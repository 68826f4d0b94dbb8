#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>


#include <string.h>

#include "core/forgery.h"
#include "packets.h"

/*
 * The kinds of the answers, one after the other: "=" exact, "~" inexact, "x" wrong; and
 * the moves: T take, W wait, L leave. The last T ends the exchange.
 */
struct row {
	enum forgery_link link;
	const char *kinds, *moves;
	enum forgery_link ends;
	bool case_in_doubt;
};

static const struct row rows[] = {
	{ FORGERY_UDP, "=", "T", FORGERY_UDP, false },
	{ FORGERY_UDP, "xxx=", "WWWT", FORGERY_UDP, false },
	{ FORGERY_UDP, "xxxx", "WWWL", FORGERY_TCP, false },
	{ FORGERY_UDP, "~", "L", FORGERY_TCP, true },
	{ FORGERY_UDP, "xx~", "WWL", FORGERY_TCP, true },
	{ FORGERY_UDP, "~=", "LT", FORGERY_TCP, true },
	{ FORGERY_UDP, "~xxxxxxx~", "LWWWWWWWT", FORGERY_TCP, true },
	{ FORGERY_UDP, "xxxxxxxx=", "WWWLWWWWT", FORGERY_TCP, false },
	{ FORGERY_UDP_LOWER_CASE, "=", "T", FORGERY_UDP_LOWER_CASE, false },
	{ FORGERY_UDP_LOWER_CASE, "~", "T", FORGERY_UDP_LOWER_CASE, false },
	{ FORGERY_UDP_LOWER_CASE, "xxxx", "WWWL", FORGERY_TCP, false },
	{ FORGERY_UDP_SIGNED, "=", "T", FORGERY_UDP_SIGNED, false },
	{ FORGERY_UDP_SIGNED, "~", "T", FORGERY_UDP_SIGNED, false },
	{ FORGERY_UDP_SIGNED, "xxxxxxxxxx=", "WWWWWWWWWWT", FORGERY_UDP_SIGNED, false },
	{ FORGERY_TCP, "xxxxxxxx=", "WWWWWWWWT", FORGERY_TCP, false },
	{ FORGERY_TCP, "~", "T", FORGERY_TCP, false },
};

static enum forgery_match match_of(char letter)
{
	return letter == '=' ? FORGERY_EXACT
	     : letter == '~' ? FORGERY_INEXACT : FORGERY_WRONG;
}

static void a_forger_has_few_guesses(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct forgery forgery = { .link = rows[i].link };

		print_message("%d: %s\n", rows[i].link, rows[i].kinds);
		for (size_t at = 0; rows[i].kinds[at]; at++)
			assert_int_equal("TWL"[forgery_step(&forgery,
			                                    match_of(rows[i].kinds[at]))],
			                 rows[i].moves[at]);
		assert_int_equal(forgery.link, rows[i].ends);
		assert_int_equal(forgery.case_in_doubt, rows[i].case_in_doubt);
	}
}

static const struct {
	struct response response;
	enum forgery_match match;
} answers[] = {
	{ { .kind = RESPONSE_MISMATCH }, FORGERY_WRONG },
	/* of a signature, with our question */
	{ { .kind = RESPONSE_MISMATCH, .is_exact = true, .fault = "x" }, FORGERY_WRONG },
	{ { .kind = RESPONSE_SERIAL, .is_exact = true }, FORGERY_EXACT },
	{ { .kind = RESPONSE_SERIAL }, FORGERY_INEXACT },
	{ { .kind = RESPONSE_TRUNCATED, .is_exact = true }, FORGERY_EXACT },
	{ { .kind = RESPONSE_TRUNCATED }, FORGERY_INEXACT },
	{ { .kind = RESPONSE_ABSENT, .is_exact = true }, FORGERY_EXACT },
	{ { .kind = RESPONSE_ABSENT }, FORGERY_INEXACT },
	{ { .kind = RESPONSE_FAILED }, FORGERY_INEXACT },
};

static void answers_are_sorted(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		assert_int_equal(forgery_match_of(&answers[i].response),
		                 answers[i].match);
}

/* An answer over UDP was inexact. Then one over TCP is exact, or inexact, or does not come. */
static void tcp_tells_who_does_not_echo_the_case(void **state)
{
	static const struct response exact = { RESPONSE_SERIAL, .is_exact = true };
	static const struct response inexact = { RESPONSE_SERIAL };
	struct forgery good = { 0 }, doubtful = { 0 };

	(void)state;
	forgery_step(&doubtful, FORGERY_INEXACT);
	assert_false(forgery_case_not_echoed(&doubtful, &exact));
	assert_true(forgery_case_not_echoed(&doubtful, &inexact));
	assert_true(forgery_case_not_echoed(&doubtful, NULL));
	assert_false(forgery_case_not_echoed(&good, &inexact));
	assert_false(forgery_case_not_echoed(&good, NULL));
}

static void letters_change_and_nothing_else(void **state)
{
	const struct name zone = name_of("a1-z_.example.org.");
	uint8_t random[FORGERY_LETTERS];
	struct name name = zone;

	(void)state;
	memset(random, 0, sizeof(random));
	forgery_mix_case(&name, random);
	assert_true(name_equal(&name, &zone));
	memset(random, 0xff, sizeof(random));
	forgery_mix_case(&name, random);
	assert_memory_equal(name.wire, "\5A1-Z_\7EXAMPLE\3ORG", name.len);
	name_fold(&name);
	assert_true(name_equal(&name, &zone));
	random[0] = 1 << 1;
	random[1] = 1 << 0;
	memset(random + 2, 0, sizeof(random) - 2);
	forgery_mix_case(&name, random);
	assert_memory_equal(name.wire, "\5A1-z_\7eXample\3org", name.len);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_forger_has_few_guesses),
		cmocka_unit_test(answers_are_sorted),
		cmocka_unit_test(tcp_tells_who_does_not_echo_the_case),
		cmocka_unit_test(letters_change_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
