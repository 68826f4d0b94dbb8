#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* ours is in err.h */

#include <string.h>

#include "runtime/rpc_redo.h"

/* ---- when to run again ---- */

static void test_a_race_has_eight_tries(void **state)
{
	struct redo redo = { 0 };

	(void)state;
	for (int i = 0; i < 8; i++) {
		int pause_ms = redo_pause_ms(&redo, ERR_RACE, 3, 1000, 7);

		assert_in_range(pause_ms, 5, 200);
	}
	assert_int_equal(redo_pause_ms(&redo, ERR_RACE, 3, 1000, 7), -1);
}

static void test_a_race_has_two_seconds(void **state)
{
	struct redo redo = { 0 };

	(void)state;
	assert_in_range(redo_pause_ms(&redo, ERR_RACE, 3, 1000, 7), 5, 200);
	assert_in_range(redo_pause_ms(&redo, ERR_RACE, 3, 2999, 7), 5, 200);
	assert_int_equal(redo_pause_ms(&redo, ERR_RACE, 3, 3000, 7), -1);
}

/* A run that took long lost to a node that hung; longer, to a row that is held. */
static void test_a_long_run(void **state)
{
	struct redo hung = { 0 }, held = { 0 };

	(void)state;
	assert_in_range(redo_pause_ms(&hung, ERR_RACE, 4499, 9000, 7), 5, 200);
	assert_int_equal(redo_pause_ms(&held, ERR_RACE, 4500, 9000, 7), -1);
}

/* The longer it has waited, the seldomer it looks; five seconds in all. */
static void test_a_locked_row(void **state)
{
	static const struct {
		int waited_ms, least, most;
	} cases[] = {
		{ 0,    3,   5 },
		{ 100,  3,   5 },
		{ 400,  10,  20 },
		{ 4000, 100, 200 },
		{ 4999, 100, 200 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		for (uint32_t random = 0; random < 500; random += 7) {
			struct redo redo = { .locked_ms = 1000 };
			int pause_ms = redo_pause_ms(&redo, ERR_LOCKED, 1,
			                             1000 + cases[i].waited_ms, random);

			assert_in_range(pause_ms, cases[i].least, cases[i].most);
		}
	assert_int_equal(redo_pause_ms(&(struct redo){ .locked_ms = 1000 }, ERR_LOCKED, 1,
	                               6000, 0), -1);
}

static void test_locked_and_race_count_each_for_itself(void **state)
{
	struct redo redo = { 0 };

	(void)state;
	assert_true(redo_pause_ms(&redo, ERR_LOCKED, 1, 1000, 0) > 0);
	assert_true(redo_pause_ms(&redo, ERR_LOCKED, 1, 5900, 0) > 0);
	assert_true(redo_pause_ms(&redo, ERR_RACE, 1, 5950, 0) > 0);
	assert_true(redo_pause_ms(&redo, ERR_RACE, 1, 7940, 0) > 0);
	assert_int_equal(redo_pause_ms(&redo, ERR_LOCKED, 1, 7945, 0), -1);
}

/* ---- those that wait ---- */

static const char *taken(struct parking *parking, int64_t now_ms)
{
	static char subjects[64];

	*subjects = '\0';
	for (struct parked *p = parking_take_due(parking, now_ms); p; p = p->next)
		strcat(subjects, p->subject ? p->subject : "-");
	return subjects;
}

static void test_each_at_its_time(void **state)
{
	struct parking parking = { .locked_max = 3 };
	struct parked a = { .subject = "a" }, b = { .subject = "b" }, other = { 0 };

	(void)state;
	assert_int_equal(parking_due_ms(&parking), -1);
	parking_add(&parking, &a, 30);
	parking_add(&parking, &b, 10);
	parking_add(&parking, &other, 20);
	assert_int_equal(parking.count, 3);
	assert_int_equal(parking_due_ms(&parking), 10);
	assert_string_equal(taken(&parking, 9), "");
	assert_string_equal(taken(&parking, 10), "b");
	assert_int_equal(parking_due_ms(&parking), 20);
	assert_string_equal(taken(&parking, 20), "-");
	assert_string_equal(taken(&parking, 100), "a");
	assert_string_equal(taken(&parking, 100), "");
	assert_int_equal(parking.count, 0);
}

/* In their order, and with the first of them, whatever their own time is. */
static void test_the_same_subject_waits_behind(void **state)
{
	struct parking parking = { .locked_max = 3 };
	char name[] = "a";
	struct parked first = { .subject = "a", .is_locked = true };
	struct parked second = { .subject = name }, third = { .subject = "a" };
	struct parked b = { .subject = "b" }, none = { 0 }, nothing = { 0 };

	(void)state;
	assert_null(parking_leader(&parking, "a"));
	parking_add(&parking, &first, 50);
	parking_add(&parking, &b, 40);
	parking_add(&parking, &second, 5);
	parking_add(&parking, &third, 5);
	parking_add(&parking, &none, 60);
	parking_add(&parking, &nothing, 70);
	assert_ptr_equal(parking_leader(&parking, "a"), &first);
	assert_null(parking_leader(&parking, NULL));
	assert_int_equal(parking_due_ms(&parking), 40);
	assert_string_equal(taken(&parking, 40), "b");
	assert_ptr_equal(parking_take_due(&parking, 50), &first);
	assert_ptr_equal(first.next, &second);
	assert_ptr_equal(second.next, &third);
	assert_null(third.next);
	assert_string_equal(taken(&parking, 60), "-");
	assert_string_equal(taken(&parking, 70), "-");
	assert_int_equal(parking.count, 0);
}

static void test_few_wait_for_rows(void **state)
{
	struct parking parking = { .locked_max = 3 };
	struct parked a = { .subject = "a", .is_locked = true }, behind = a;
	struct parked b = { .subject = "b", .is_locked = true }, race = { .subject = "r" };

	(void)state;
	parking_add(&parking, &a, 10);
	parking_add(&parking, &behind, 10);
	parking_add(&parking, &race, 10);
	assert_false(parking_is_full(&parking, 1000, 4000));
	parking_add(&parking, &b, 20);
	/* for a row that was locked a moment ago, any number may wait */
	assert_true(parking_is_full(&parking, 1000, 4000));
	assert_false(parking_is_full(&parking, 1000, 3999));
	assert_false(parking_is_full(&parking, 0, 4000));
	while (parking_take_due(&parking, 10))
		;
	assert_int_equal(parking.locked, 1);
	assert_false(parking_is_full(&parking, 1000, 4000));
}

static void test_what_was_held_lately(void **state)
{
	struct held held = { 0 };
	char name[] = "a";

	(void)state;
	assert_false(held_lately(&held, "a", 1000));
	held_note(&held, "a", true, 1000);
	assert_true(held_lately(&held, name, 1000));
	assert_true(held_lately(&held, name, 3999));
	assert_false(held_lately(&held, name, 4000));
	assert_false(held_lately(&held, "b", 1000));
	held_note(&held, "b", false, 1000);
	assert_true(held_lately(&held, name, 1000));
	held_note(&held, name, false, 1000);
	assert_false(held_lately(&held, "a", 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_race_has_eight_tries),
		cmocka_unit_test(test_a_race_has_two_seconds),
		cmocka_unit_test(test_a_long_run),
		cmocka_unit_test(test_a_locked_row),
		cmocka_unit_test(test_locked_and_race_count_each_for_itself),
		cmocka_unit_test(test_each_at_its_time),
		cmocka_unit_test(test_the_same_subject_waits_behind),
		cmocka_unit_test(test_few_wait_for_rows),
		cmocka_unit_test(test_what_was_held_lately),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
