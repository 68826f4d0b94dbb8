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

/*
 * Exchanges with one server, one after the other. `udp` has the kinds of the answers over
 * UDP, as above. `tcp` is the kind of the answer over TCP, or "-": it does not come, or
 * "": the exchange ended over UDP. Then `!`: the case is not echoed.
 */
struct exchange {
	enum forgery_link link;
	const char *udp, *tcp;
	const char *want;
	int suspicions;
};

#define EXACT		{ FORGERY_UDP, "=", "", "", 0 }
#define MISSING(want, n) { FORGERY_UDP, "~", "-", want, n }

static const struct exchange case_stories[][8] = {
	/* an answer over TCP is enough */
	{ { FORGERY_UDP, "~", "~", "!", 0 } },
	{ { FORGERY_UDP, "xx~", "~", "!", 0 } },
	{ { FORGERY_UDP, "~", "=", "", 0 } },
	/* the third that is missing is, too; later one more */
	{ MISSING("", 1), MISSING("", 2), MISSING("!", 2), MISSING("!", 2) },
	/* in lower case an exact answer says nothing */
	{ MISSING("", 1), MISSING("", 2), MISSING("!", 2),
	  { FORGERY_UDP_LOWER_CASE, "=", "", "", 2 },
	  { FORGERY_UDP_LOWER_CASE, "~", "", "", 2 },
	  { FORGERY_UDP_SIGNED, "=", "", "", 2 }, MISSING("!", 2) },
	/* an exact answer in between, over UDP or TCP */
	{ MISSING("", 1), MISSING("", 2), EXACT, MISSING("", 1), MISSING("", 2),
	  MISSING("!", 2), EXACT, MISSING("", 1) },
	{ MISSING("", 1), MISSING("", 2), { FORGERY_UDP, "~", "=", "", 0 },
	  MISSING("", 1) },
	{ MISSING("", 1), { FORGERY_UDP, "xxxx", "=", "", 0 } },
	{ MISSING("", 1), { FORGERY_TCP, "", "=", "", 0 } },
	/* a wrong answer: an attacker guesses */
	{ { FORGERY_UDP, "x~", "-", "", 0 }, { FORGERY_UDP, "xxx~", "-", "", 0 },
	  { FORGERY_UDP, "x~", "-", "", 0 }, { FORGERY_UDP, "x~", "-", "", 0 } },
	{ MISSING("", 1), MISSING("", 2), { FORGERY_UDP, "x~", "-", "", 2 },
	  MISSING("!", 2) },
	/* silence, and four guesses */
	{ MISSING("", 1), MISSING("", 2), { FORGERY_UDP, "", "-", "", 2 },
	  { FORGERY_UDP, "xxxx", "-", "", 2 }, { FORGERY_TCP, "", "-", "", 2 },
	  { FORGERY_TCP, "", "~", "", 2 } },
};

static bool exchange_shows(const struct exchange *exchange, int *suspicions)
{
	struct forgery forgery = { .link = exchange->link };
	const char *udp = exchange->udp, *last = *exchange->tcp ? exchange->tcp : udp;
	const struct response answer = {
		.kind = RESPONSE_SERIAL, .is_exact = *last == '=',
	};

	for (; *udp; udp++)
		forgery_step(&forgery, match_of(*udp));
	return forgery_case_not_echoed(&forgery, *last == '-' ? NULL : &answer,
	                               suspicions);
}

static void exchanges_tell_who_does_not_echo_the_case(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(case_stories) / sizeof(case_stories[0]); i++) {
		int suspicions = 0;

		for (int at = 0; at < 8 && case_stories[i][at].udp; at++) {
			const struct exchange *exchange = &case_stories[i][at];

			print_message("%zu.%d\n", i, at);
			assert_int_equal(exchange_shows(exchange, &suspicions),
			                 *exchange->want == '!');
			assert_int_equal(suspicions, exchange->suspicions);
		}
	}
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
		cmocka_unit_test(exchanges_tell_who_does_not_echo_the_case),
		cmocka_unit_test(letters_change_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
