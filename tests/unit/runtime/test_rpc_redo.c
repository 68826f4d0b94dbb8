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
	struct redo hung = { 0 }, locked = { 0 };

	(void)state;
	assert_in_range(redo_pause_ms(&hung, ERR_RACE, 4499, 9000, 7), 5, 200);
	assert_int_equal(redo_pause_ms(&locked, ERR_RACE, 4500, 9000, 7), -1);
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

static const char *taken(struct redo_queue *redo_queue, int64_t now_ms)
{
	static char subjects[64];

	*subjects = '\0';
	for (struct redo_entry *p = redo_queue_take_due(redo_queue, now_ms); p;
	     p = p->next)
		strcat(subjects, p->subject ? p->subject : "-");
	return subjects;
}

static void test_each_at_its_time(void **state)
{
	struct redo_queue redo_queue = { .locked_max = 3 };
	struct redo_entry a = { .subject = "a" }, b = { .subject = "b" }, other = { 0 };

	(void)state;
	assert_int_equal(redo_queue_due_ms(&redo_queue), -1);
	redo_queue_add(&redo_queue, &a, 30);
	redo_queue_add(&redo_queue, &b, 10);
	redo_queue_add(&redo_queue, &other, 20);
	assert_int_equal(redo_queue.count, 3);
	assert_int_equal(redo_queue_due_ms(&redo_queue), 10);
	assert_string_equal(taken(&redo_queue, 9), "");
	assert_string_equal(taken(&redo_queue, 10), "b");
	assert_int_equal(redo_queue_due_ms(&redo_queue), 20);
	assert_string_equal(taken(&redo_queue, 20), "-");
	assert_string_equal(taken(&redo_queue, 100), "a");
	assert_string_equal(taken(&redo_queue, 100), "");
	assert_int_equal(redo_queue.count, 0);
}

/* In their order, and with the first of them, whatever their own time is. */
static void test_the_same_subject_waits_behind(void **state)
{
	struct redo_queue redo_queue = { .locked_max = 3 };
	char name[] = "a";
	struct redo_entry first = { .subject = "a", .is_locked = true };
	struct redo_entry second = { .subject = name }, third = { .subject = "a" };
	struct redo_entry b = { .subject = "b" }, none = { 0 }, nothing = { 0 };

	(void)state;
	assert_null(redo_queue_leader(&redo_queue, "a"));
	redo_queue_add(&redo_queue, &first, 50);
	redo_queue_add(&redo_queue, &b, 40);
	redo_queue_add(&redo_queue, &second, 5);
	redo_queue_add(&redo_queue, &third, 5);
	redo_queue_add(&redo_queue, &none, 60);
	redo_queue_add(&redo_queue, &nothing, 70);
	assert_ptr_equal(redo_queue_leader(&redo_queue, "a"), &first);
	assert_null(redo_queue_leader(&redo_queue, NULL));
	assert_int_equal(redo_queue_due_ms(&redo_queue), 40);
	assert_string_equal(taken(&redo_queue, 40), "b");
	assert_ptr_equal(redo_queue_take_due(&redo_queue, 50), &first);
	assert_ptr_equal(first.next, &second);
	assert_ptr_equal(second.next, &third);
	assert_null(third.next);
	assert_string_equal(taken(&redo_queue, 60), "-");
	assert_string_equal(taken(&redo_queue, 70), "-");
	assert_int_equal(redo_queue.count, 0);
}

static void test_few_wait_for_rows(void **state)
{
	struct redo_queue redo_queue = { .locked_max = 3 };
	struct redo_entry a = { .subject = "a", .is_locked = true }, behind = a;
	struct redo_entry b = { .subject = "b", .is_locked = true };
	struct redo_entry race = { .subject = "r" };

	(void)state;
	redo_queue_add(&redo_queue, &a, 10);
	redo_queue_add(&redo_queue, &behind, 10);
	redo_queue_add(&redo_queue, &race, 10);
	assert_false(redo_queue_is_full(&redo_queue, 1000, 1250));
	redo_queue_add(&redo_queue, &b, 20);
	/* for a row that was locked a moment ago, any number may wait */
	assert_true(redo_queue_is_full(&redo_queue, 1000, 1250));
	assert_false(redo_queue_is_full(&redo_queue, 1000, 1249));
	assert_false(redo_queue_is_full(&redo_queue, 0, 4000));
	while (redo_queue_take_due(&redo_queue, 10))
		;
	assert_int_equal(redo_queue.locked, 1);
	assert_false(redo_queue_is_full(&redo_queue, 1000, 1250));
}

static void test_what_was_held_lately(void **state)
{
	struct locked_subjects locked = { 0 };
	char name[] = "a";

	(void)state;
	assert_int_equal(locked_subjects_since(&locked, "a", 1000), 0);
	locked_subjects_note(&locked, "a", true, 1000);
	assert_int_equal(locked_subjects_since(&locked, name, 1000), 1000);
	assert_int_equal(locked_subjects_since(&locked, name, 3999), 1000);
	assert_int_equal(locked_subjects_since(&locked, name, 4000), 0);
	assert_int_equal(locked_subjects_since(&locked, "b", 1000), 0);
	locked_subjects_note(&locked, "b", false, 1000);
	assert_int_equal(locked_subjects_since(&locked, name, 1000), 1000);
	locked_subjects_note(&locked, name, false, 1000);
	assert_int_equal(locked_subjects_since(&locked, "a", 1000), 0);
}

/* A second leader, which came later, finds the time of the first. */
static void test_since_when_a_row_is_locked(void **state)
{
	struct locked_subjects locked = { 0 };

	(void)state;
	for (int64_t now_ms = 1000; now_ms < 20000; now_ms += 200) {
		locked_subjects_note(&locked, "a.example.", true, now_ms);
		assert_int_equal(locked_subjects_since(&locked, "a.example.", now_ms),
		                 1000);
	}
	locked_subjects_note(&locked, "a.example.", false, 20000);
	locked_subjects_note(&locked, "a.example.", true, 20100);
	assert_int_equal(locked_subjects_since(&locked, "a.example.", 20200), 20100);
	/* not noted for so long: the lock may have ended in between */
	locked_subjects_note(&locked, "a.example.", true, 24000);
	assert_int_equal(locked_subjects_since(&locked, "a.example.", 24000), 24000);
}

/* Only while calls about a subject that was locked succeed in turns with the locks. */
static void test_who_may_wait_in_the_database(void **state)
{
	struct locked_subjects locked = { 0 };

	(void)state;
	locked_subjects_note(&locked, "a", false, 900);
	assert_false(locked_subjects_may_wait(&locked, "a", 900));
	locked_subjects_note(&locked, "a", true, 1000);
	assert_false(locked_subjects_may_wait(&locked, "a", 1000));
	assert_false(locked_subjects_may_wait(&locked, "a", 9000));
	locked_subjects_note(&locked, "a", false, 9000);
	assert_true(locked_subjects_may_wait(&locked, "a", 9999));
	assert_false(locked_subjects_may_wait(&locked, "a", 10000));
	assert_false(locked_subjects_may_wait(&locked, "b", 9500));
	locked_subjects_note(&locked, "a", true, 9500);
	assert_false(locked_subjects_may_wait(&locked, "a", 9600));
}

static void test_spellings_of_a_subject(void **state)
{
	static const struct {
		const char *subject;
		bool is_same;
	} cases[] = {
		{ "a.example.", true },
		{ "a.example", true },
		{ "A.ExAMPLE.", true },
		{ "b.example.", false },
		{ "a.example.org.", false },
		{ "a.exampl", false },
		{ ".", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct locked_subjects locked = { 0 };
		struct redo_queue redo_queue = { .locked_max = 3 };
		struct redo_entry entry = { .subject = cases[i].subject };

		locked_subjects_note(&locked, cases[i].subject, true, 1000);
		redo_queue_add(&redo_queue, &entry, 1000);
		assert_int_equal(locked_subjects_since(&locked, "a.example.", 1000) != 0,
		                 cases[i].is_same);
		assert_int_equal(redo_queue_leader(&redo_queue, "a.example.") != NULL,
		                 cases[i].is_same);
	}
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
		cmocka_unit_test(test_since_when_a_row_is_locked),
		cmocka_unit_test(test_who_may_wait_in_the_database),
		cmocka_unit_test(test_spellings_of_a_subject),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
