#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "consensus_model.h"
#include "core/follow.h"
#include "model/serial.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define LIVES(serial)   { TASK_NONE, STATUS_ACTIVE, serial }
#define CHANGED(serial) { TASK_UPDATE, STATUS_PENDING, serial }
#define FAILED(serial)  { TASK_UPDATE, STATUS_ERROR, serial }
#define NEW(serial)     { TASK_ADD, STATUS_PENDING, serial }
#define GOES(serial)    { TASK_DELETE, STATUS_PENDING, serial }
#define GONE(serial)    { TASK_NONE, STATUS_DELETED, serial }

enum { HALF = INT32_MAX };

static const struct {
	const char *name;
	/*
	 * domain, in error, serves it: the serial, failures, takes orders, tries, done,
	 * raises, age in ms, has failed, asked
	 */
	struct follow_case of;
	enum follow want;
} cases[] = {
	{ "behind: one NOTIFY may be lost",
	  { CHANGED(9), true, true, 8, 1, true, 0, 0, 0, 0 }, FOLLOW_WAIT },
	{ "behind after two: it transfers",
	  { CHANGED(9), true, true, 8, 2, true, 0, 0, 0, 0 }, FOLLOW_TRANSFER },
	{ "likewise of a domain that is in error, or settled by other servers",
	  { FAILED(9), true, true, 8, 3, true, 0, 0, 0, 0 }, FOLLOW_TRANSFER },
	{ "likewise of one that is settled",
	  { LIVES(9), true, true, 8, 2, true, 0, 0, 0, 0 }, FOLLOW_TRANSFER },
	{ "a zone that is new: what is served is a former one's",
	  { NEW(9), true, true, 8, 1, true, 0, 0, 0, 0 }, FOLLOW_TRANSFER },
	{ "it has caught up meanwhile",
	  { CHANGED(9), false, true, 8, 2, true, 0, 0, 0, 0 }, FOLLOW_WAIT },
	{ "it serves ours",
	  { CHANGED(9), true, true, 9, 2, true, 0, 0, 0, 0 }, FOLLOW_WAIT },
	{ "it takes no orders: a newer serial would not help either",
	  { CHANGED(9), true, true, 8, 7, false, 0, 0, 0, 0 }, FOLLOW_WAIT },
	{ "a transfer was ordered, and may be on its way",
	  { CHANGED(9), true, true, 8, 3, true, 1, 1, 0, 9999 }, FOLLOW_WAIT },
	{ "it had no effect",
	  { CHANGED(9), true, true, 8, 3, true, 1, 1, 0, 10000 }, FOLLOW_RENEW },
	{ "it had no effect, because the server refuses the records that it received",
	  { CHANGED(9), true, true, 8, 3, true, 1, 1, 0, 10000, .was_sent = true },
	  FOLLOW_TRANSFER },
	{ "likewise of a new zone: a former zone is served",
	  { NEW(9), true, true, 8, 3, true, 1, 1, 0, 10000, .was_sent = true },
	  FOLLOW_TRANSFER },
	{ "likewise of a new zone that the server does not serve",
	  { NEW(9), true, false, 0, 3, true, 1, 1, 0, 10000, .was_sent = true },
	  FOLLOW_TRANSFER },
	{ "twice the time for the second",
	  { CHANGED(9), true, true, 8, 4, true, 2, 2, 0, 9999 }, FOLLOW_WAIT },
	{ "and then once more",
	  { CHANGED(9), true, true, 8, 4, true, 2, 2, 0, 10000 }, FOLLOW_RENEW },
	{ "behind for long: that it is renewed does not end",
	  { CHANGED(9), true, true, 8, 40, true, 11, 11, 0, 600000 }, FOLLOW_RENEW },
	{ "but ten minutes apart",
	  { CHANGED(9), true, true, 8, 40, true, 11, 11, 0, 599999 }, FOLLOW_WAIT },
	{ "its rows were released: pauses begin anew",
	  { CHANGED(9), true, true, 8, 2, true, 11, 11, 0, 10000 }, FOLLOW_RENEW },
	{ "but a transfer has its time",
	  { CHANGED(9), true, true, 8, 2, true, 11, 11, 0, 9999 }, FOLLOW_WAIT },
	{ "one that goes ahead again and again: pauses do not begin anew",
	  { LIVES(9), true, true, 10, 1, true, 11, 11, 2, 599999 }, FOLLOW_WAIT },
	{ "a new zone, of which it has nothing yet",
	  { NEW(9), true, false, 0, 1, true, 0, 0, 0, 0 }, FOLLOW_WAIT },
	{ "after two",
	  { NEW(9), true, false, 0, 2, true, 0, 0, 0, 0 }, FOLLOW_TRANSFER },
	{ "and then",
	  { NEW(9), true, false, 0, 3, true, 1, 1, 0, 10000 }, FOLLOW_RENEW },
	{ "a zone that it had, and for which it answers with an error: it may just "
	  "load it",
	  { LIVES(9), true, false, 0, 2, true, 0, 0, 0, 0 }, FOLLOW_WAIT },
	{ "after three",
	  { LIVES(9), true, false, 0, 3, true, 0, 0, 0, 0 }, FOLLOW_TRANSFER },
	{ "likewise of one that was changed",
	  { CHANGED(9), true, false, 0, 3, true, 0, 0, 0, 0 }, FOLLOW_TRANSFER },
	{ "that had no effect: others may get answers, so it is not set up again",
	  { LIVES(9), true, false, 0, 4, true, 1, 1, 0, 10000 }, FOLLOW_TRANSFER },
	{ "and it has its pauses",
	  { LIVES(9), true, false, 0, 9, true, 4, 4, 0, 39999 }, FOLLOW_WAIT },
	{ "it takes no orders",
	  { LIVES(9), true, false, 0, 9, false, 0, 0, 0, 0 }, FOLLOW_WAIT },
	{ "no serial is not ahead",
	  { NEW(9), true, false, 10, 2, false, 0, 0, 0, 0 }, FOLLOW_WAIT },
	{ "an order did not reach it a moment ago",
	  { CHANGED(9), true, true, 8, 3, true, 1, 0, 0, 4999 }, FOLLOW_WAIT },
	{ "and is given again",
	  { CHANGED(9), true, true, 8, 3, true, 1, 0, 0, 5000 }, FOLLOW_TRANSFER },
	{ "ahead: at once",
	  { LIVES(9), true, true, 10, 1, true, 0, 0, 0, 0 }, FOLLOW_TRANSFER },
	{ "ahead beyond the wrap",
	  { LIVES(UINT32_MAX), true, true, 3, 1, true, 0, 0, 0, 0 }, FOLLOW_TRANSFER },
	{ "half of all away: neither is newer, and a NOTIFY moves nothing",
	  { LIVES(9), true, true, 9u + HALF + 1, 2, true, 0, 0, 0, 0 }, FOLLOW_TRANSFER },
	{ "ahead, and the transfer had no effect",
	  { FAILED(9), true, true, 10, 1, true, 1, 1, 0, 10000 }, FOLLOW_RENEW },
	{ "likewise, though it received ours: it served its own instead",
	  { FAILED(9), true, true, 10, 1, true, 1, 1, 0, 10000, .was_sent = true },
	  FOLLOW_RENEW },
	{ "ahead whatever it is told: our serial moves",
	  { FAILED(9), true, true, 10, 1, true, 3, 3, 0, 20000 }, FOLLOW_RAISE },
	{ "ahead, and takes no orders",
	  { LIVES(9), true, true, 10, 1, false, 0, 0, 0, 0 }, FOLLOW_RAISE },
	{ "ahead again behind two raises: it does that by itself",
	  { LIVES(9), true, true, 10, 1, false, 2, 2, 2, 600000 }, FOLLOW_WAIT },
	{ "and one that takes orders",
	  { LIVES(9), true, true, 10, 1, true, 6, 6, 2, 600000 }, FOLLOW_RENEW },
	{ "it takes no word for long",
	  { CHANGED(9), true, true, 8, 9, true, 20, 0, 0, 29999, true }, FOLLOW_WAIT },
	{ "and may by now",
	  { CHANGED(9), true, true, 8, 9, true, 20, 0, 0, 30000, true },
	  FOLLOW_TRANSFER },
	{ "raised a moment ago",
	  { LIVES(9), true, true, 10, 1, false, 1, 1, 1, 100 }, FOLLOW_WAIT },
	{ "an administrator asks: it waits for no pause",
	  { CHANGED(9), true, true, 8, 9, true, 11, 11, 0, 0, false, true },
	  FOLLOW_RENEW },
	{ "likewise of an order that did not reach it",
	  { CHANGED(9), true, true, 8, 9, true, 20, 0, 0, 0, true, true },
	  FOLLOW_TRANSFER },
	{ "but a serial is raised no more often",
	  { LIVES(9), true, true, 10, 1, false, 2, 2, 2, 0, false, true }, FOLLOW_WAIT },
	{ "a first raise is",
	  { LIVES(9), true, true, 10, 1, false, 1, 1, 1, 0, false, true }, FOLLOW_RAISE },
	{ "nor is done what is no matter",
	  { LIVES(9), true, true, 9, 1, true, 0, 0, 0, 0, false, true }, FOLLOW_WAIT },
	{ "the domain goes: its name may be another's soon",
	  { GOES(9), true, true, 10, 3, true, 0, 0, 0, 0 }, FOLLOW_WAIT },
	{ "the domain is gone",
	  { GONE(9), true, true, 10, 3, true, 0, 0, 0, 0 }, FOLLOW_WAIT },
};

static void each_case_has_its_remedy(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(cases); i++) {
		print_message("  %s\n", cases[i].name);
		assert_string_equal(follow_name(follow_decide(&cases[i].of)),
		                    follow_name(cases[i].want));
	}
}

/* In an hour: no more than so many, whatever is done about it. */
static void tries_of_an_hour_are_few(void **unused)
{
	struct follow_case of = { LIVES(9), true, true, 10, 1, true, 0, 0, 0, 0 };
	int64_t now_ms = 0, last_ms = 0;

	(void)unused;
	for (; now_ms < 3600 * 1000; now_ms += 1000) {
		of.age_ms = now_ms - last_ms;
		if (follow_decide(&of) == FOLLOW_WAIT)
			continue;
		last_ms = now_ms;
		of.tries++;
		of.done++;
	}
	assert_in_range(of.tries, 10, 13);
}

#define NOW   1800000000u
#define DATED 2026112501u

static const struct {
	const char *name;
	uint32_t ours, serves, now;
	bool raises;
	uint32_t want;
} raises[] = {
	{ "the clock is ahead of it",      NOW - 90, NOW - 10, NOW, true,  NOW },
	{ "it is ahead of the clock",      NOW - 90, NOW + 10, NOW, true,  NOW + 11 },
	{ "as far as that may be",
	  NOW - 90, NOW + RAISE_BEYOND_CLOCK - 1, NOW, true, NOW + RAISE_BEYOND_CLOCK },
	{ "further",
	  NOW - 90, NOW + RAISE_BEYOND_CLOCK, NOW, false, 0 },
	{ "as far as it goes",             NOW - 90, NOW - 91u + HALF, NOW, false, 0 },
	{ "half of all away is not ahead", NOW - 90, NOW - 89u + HALF, NOW, false, 0 },
	{ "behind",                        NOW - 90, NOW - 91, NOW, false, 0 },
	{ "at ours",                       NOW - 90, NOW - 90, NOW, false, 0 },
	{ "small serials go to the clock", 7, 9, NOW, true, NOW },
	{ "serials that are dates",        DATED, DATED + 1, NOW, true, DATED + 2 },
	{ "as far as those may go",
	  DATED, DATED + RAISE_AT_ONCE - 1, NOW, true, DATED + RAISE_AT_ONCE },
	{ "further", DATED, DATED + RAISE_AT_ONCE, NOW, false, 0 },
	{ "half of all beyond the clock, which is the newer then",
	  NOW + HALF - 5, NOW + HALF + 9, NOW, false, 0 },
	{ "over the wrap", UINT32_MAX - 1, 1, UINT32_MAX - 9, true, 2 },
};

static void a_serial_is_raised_no_further_than_stated(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(raises); i++) {
		uint32_t got = 0;

		print_message("  %s\n", raises[i].name);
		assert_int_equal(follow_raise(raises[i].ours, raises[i].serves,
		                              raises[i].now, &got), raises[i].raises);
		assert_int_equal(got, raises[i].want);
	}
}

/* Of any three: newer than both, and within the bounds. */
static void a_raised_serial_is_the_newest(void **unused)
{
	uint32_t state = 2463534242, raised_some = 0;

	(void)unused;
	for (int round = 0; round < 400000; round++) {
		uint32_t ours = any_serial(&state), now = noise(&state);
		uint32_t serves = ours + noise(&state) % (4 * RAISE_BEYOND_CLOCK);
		uint32_t raised;

		if (round % 2)
			now = ours + noise(&state) % RAISE_BEYOND_CLOCK;
		if (!follow_raise(ours, serves, now, &raised))
			continue;
		raised_some++;
		assert_true(serial_newer(raised, ours));
		assert_true(serial_newer(raised, serves));
		if (raised - ours > RAISE_AT_ONCE)
			assert_true(serial_covers(now + RAISE_BEYOND_CLOCK, raised));
	}
	assert_in_range(raised_some, 1000, 399000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_case_has_its_remedy),
		cmocka_unit_test(tries_of_an_hour_are_few),
		cmocka_unit_test(a_serial_is_raised_no_further_than_stated),
		cmocka_unit_test(a_raised_serial_is_the_newest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
