#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/status.h"

/*
 * Every valid state by every report by serials around the edges. The seed's
 * words are written down a second time here, as prose is: by report, with
 * the rulings of the design where they differ.
 */
enum { REACH = 2 };

static const uint32_t edges[] = { 0, UINT32_C(1) << 31, UINT32_MAX };
static const enum status_subject subjects[] = { SUBJECT_DOMAIN, SUBJECT_RECORD };

enum {
	EDGES = sizeof(edges) / sizeof(edges[0]),
	SERIALS = EDGES * (2 * REACH + 1),
	SUBJECTS = sizeof(subjects) / sizeof(subjects[0]),
};

static uint32_t nth_serial(int n)
{
	return edges[n / (2 * REACH + 1)] + (uint32_t)(n % (2 * REACH + 1)) - REACH;
}

/* RFC 1982 3.2 in 64 bits. */
static bool covers(int64_t a, int64_t b)
{
	const int64_t half = INT64_C(1) << 31;

	return a == b || (a < b && b - a > half) || (a > b && a - b < half);
}

/* "Check the status of the domain and if it has a status of 'PENDING' or 'ERROR'". */
static bool is_open(struct state s)
{
	return s.status == STATUS_PENDING || s.status == STATUS_ERROR;
}

/* A domain that is being deleted is settled by its absence, not by its being served. */
static struct state oracle_success(enum status_subject subject, struct state s)
{
	if (is_open(s) && (s.task == TASK_ADD || s.task == TASK_UPDATE))
		return (struct state){ TASK_NONE, STATUS_ACTIVE, s.serial };
	if (is_open(s) && s.task == TASK_DELETE && subject == SUBJECT_RECORD)
		return (struct state){ TASK_NONE, STATUS_DELETED, s.serial };
	return s;
}

static struct state oracle_error(struct state s)
{
	if (s.status == STATUS_PENDING)
		s.status = STATUS_ERROR;
	return s;
}

/* Absence is no failure of what is being deleted. */
static struct state oracle_absent(struct state s)
{
	return s.task == TASK_DELETE ? s : oracle_error(s);
}

/* ACTIVE while other content is served would be a lie; the records were out once. */
static struct state oracle_foreign(enum status_subject subject, struct state s)
{
	if (subject == SUBJECT_DOMAIN && s.status == STATUS_ACTIVE)
		return (struct state){ TASK_UPDATE, STATUS_ERROR, s.serial };
	return s;
}

static struct state oracle(enum status_subject subject, struct state s,
                           enum report report, uint32_t serial)
{
	bool is_gone = report == REPORT_NO_DOMAIN && subject == SUBJECT_DOMAIN &&
	               s.task == TASK_DELETE;

	if (is_gone)
		return (struct state){ TASK_NONE, STATUS_DELETED, s.serial };
	if (!covers(serial, s.serial))
		return s;
	if (report == REPORT_FOREIGN)
		return oracle_foreign(subject, s);
	if (report == REPORT_SUCCESS)
		return oracle_success(subject, s);
	return report == REPORT_ERROR ? oracle_error(s) : oracle_absent(s);
}

struct input {
	enum status_subject subject;
	struct state now;
	enum report report;
	uint32_t serial;
};

typedef void checker(const struct input *in, struct state next);

static void check_reports(struct input *in, checker *check)
{
	for (int report = 0; report < REPORT_COUNT; report++)
		for (int n = 0; n < SERIALS; n++) {
			in->report = report;
			in->serial = nth_serial(n);
			check(in,
			      status_next(in->subject, in->now, in->report, in->serial));
		}
}

static void check_states(struct input *in, checker *check)
{
	for (int task = 0; task < TASK_COUNT; task++)
		for (int status = 0; status < STATUS_COUNT; status++)
			for (int n = 0; n < SERIALS && state_valid(task, status); n++) {
				in->now = (struct state){ task, status, nth_serial(n) };
				check_reports(in, check);
			}
}

static void check_all(checker *check)
{
	for (size_t i = 0; i < SUBJECTS; i++) {
		struct input in = { .subject = subjects[i] };

		check_states(&in, check);
	}
}

static bool same(struct state a, struct state b)
{
	return a.task == b.task && a.status == b.status && a.serial == b.serial;
}

static void equals_oracle(const struct input *in, struct state next)
{
	struct state want = oracle(in->subject, in->now, in->report, in->serial);

	if (!same(next, want))
		fail_msg("subject=%d %s %s %u by %s %u: got %s %s %u, want %s %s %u",
		         (int)in->subject, task_name(in->now.task),
		         status_name(in->now.status),
		         in->now.serial, report_name(in->report), in->serial,
		         task_name(next.task), status_name(next.status), next.serial,
		         task_name(want.task), status_name(want.status), want.serial);
}

static void next_is_that_of_the_seed(void **unused)
{
	(void)unused;
	check_all(equals_oracle);
}

static void is_valid(const struct input *in, struct state next)
{
	assert_true(state_valid(next.task, next.status));
	assert_int_equal(next.serial, in->now.serial);
}

static void next_is_valid_and_keeps_its_serial(void **unused)
{
	(void)unused;
	check_all(is_valid);
}

static void settled_stays(const struct input *in, struct state next)
{
	bool is_foreign = in->subject == SUBJECT_DOMAIN && in->report == REPORT_FOREIGN &&
	                  in->now.status == STATUS_ACTIVE;

	if (in->now.task == TASK_NONE && !is_foreign)
		assert_true(same(next, in->now));
}

/*
 * Out of ACTIVE leads a user's change, and a domain's other content; out of DELETED
 * nothing at all.
 */
static void no_report_moves_what_is_settled(void **unused)
{
	(void)unused;
	check_all(settled_stays);
}

static void stale_stays(const struct input *in, struct state next)
{
	bool is_absence = in->subject == SUBJECT_DOMAIN && in->now.task == TASK_DELETE &&
	                  in->report == REPORT_NO_DOMAIN;

	if (is_absence)
		assert_int_equal(next.status, STATUS_DELETED);
	else if (!covers(in->serial, in->now.serial))
		assert_true(same(next, in->now));
}

static void a_stale_serial_moves_nothing_but_an_absent_domain(void **unused)
{
	(void)unused;
	check_all(stale_stays);
}

static void repeated_stays(const struct input *in, struct state next)
{
	assert_true(same(status_next(in->subject, next, in->report, in->serial), next));
}

static void a_report_that_comes_twice_moves_once(void **unused)
{
	(void)unused;
	check_all(repeated_stays);
}

static struct state apply_row(const struct status_move *move, const struct input *in,
                              struct state s)
{
	if (move->report != in->report || !(move->subjects & (int)in->subject) ||
	    !(move->tasks & 1 << s.task) || !(move->statuses & 1 << s.status) ||
	    (move->serial == SERIAL_COVERED && !covers(in->serial, s.serial)))
		return s;
	if (move->task == TASK_TO_NONE)
		s.task = TASK_NONE;
	else if (move->task == TASK_TO_UPDATE)
		s.task = TASK_UPDATE;
	return (struct state){ s.task, move->status, s.serial };
}

static void rows_in_turn_agree(const struct input *in, struct state next)
{
	struct state s = in->now;

	for (size_t i = 0; i < status_move_count; i++)
		s = apply_row(&status_moves[i], in, s);
	assert_true(same(s, next));
}

/* As the store does it: each row on what the one before has left. */
static void the_table_walked_as_statements_gives_the_same(void **unused)
{
	(void)unused;
	check_all(rows_in_turn_agree);
}

static const struct {
	const char *name;
	struct state now;
	enum task task;
	struct state want;
} changes[] = {
	{ "a served record is changed",
	  { TASK_NONE, STATUS_ACTIVE, 7 }, TASK_UPDATE,
	  { TASK_UPDATE, STATUS_PENDING, 8 } },
	{ "a served record is deleted",
	  { TASK_NONE, STATUS_ACTIVE, 7 }, TASK_DELETE,
	  { TASK_DELETE, STATUS_PENDING, 8 } },
	{ "changed once more",
	  { TASK_UPDATE, STATUS_PENDING, 7 }, TASK_UPDATE,
	  { TASK_UPDATE, STATUS_PENDING, 8 } },
	{ "changed after a failure: a new try",
	  { TASK_UPDATE, STATUS_ERROR, 7 }, TASK_UPDATE,
	  { TASK_UPDATE, STATUS_PENDING, 8 } },
	{ "changed, then deleted",
	  { TASK_UPDATE, STATUS_PENDING, 7 }, TASK_DELETE,
	  { TASK_DELETE, STATUS_PENDING, 8 } },
	{ "what was never out stays an addition",
	  { TASK_ADD, STATUS_PENDING, 7 }, TASK_UPDATE, { TASK_ADD, STATUS_PENDING, 8 } },
	{ "what could not be added stays an addition",
	  { TASK_ADD, STATUS_ERROR, 7 }, TASK_UPDATE, { TASK_ADD, STATUS_PENDING, 8 } },
	{ "what was never out may be on a server that was not heard of: it is deleted",
	  { TASK_ADD, STATUS_PENDING, 7 }, TASK_DELETE,
	  { TASK_DELETE, STATUS_PENDING, 8 } },
	{ "a served record is added anew",
	  { TASK_NONE, STATUS_ACTIVE, 7 }, TASK_ADD, { TASK_ADD, STATUS_PENDING, 8 } },
};

static void changes_lead_where_they_should(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		print_message("  %s\n", changes[i].name);
		assert_true(same(status_changed(changes[i].now, changes[i].task, 8),
		                 changes[i].want));
	}
}

static bool may_change(struct state s, enum task task)
{
	return task != TASK_NONE && s.task != TASK_DELETE && s.status != STATUS_DELETED;
}

/* In a process of its own, for a broken invariant ends it. */
static bool dies(struct state now, enum task task)
{
	pid_t pid = fork();
	int how;

	if (!pid) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		signal(SIGABRT, SIG_DFL);
		close(STDERR_FILENO);
		status_changed(now, task, 8);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &how, 0), pid);
	return WIFSIGNALED(how) && WTERMSIG(how) == SIGABRT;
}

static void check_change(struct state now, enum task task)
{
	struct state next;

	if (!may_change(now, task)) {
		assert_true(dies(now, task));
		return;
	}
	next = status_changed(now, task, 8);
	assert_true(state_valid(next.task, next.status));
	assert_int_equal(next.status, STATUS_PENDING);
	assert_int_equal(next.serial, 8);
}

/* Deleted is for good, a deletion is not changed, and no user settles a task. */
static void a_change_makes_pending_or_is_a_bug(void **unused)
{
	(void)unused;
	for (int task = 0; task < TASK_COUNT; task++)
		for (int status = 0; status < STATUS_COUNT; status++)
			for (int to = 0; to < TASK_COUNT && state_valid(task, status);
			     to++)
				check_change((struct state){ task, status, 7 }, to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(next_is_that_of_the_seed),
		cmocka_unit_test(next_is_valid_and_keeps_its_serial),
		cmocka_unit_test(no_report_moves_what_is_settled),
		cmocka_unit_test(a_stale_serial_moves_nothing_but_an_absent_domain),
		cmocka_unit_test(a_report_that_comes_twice_moves_once),
		cmocka_unit_test(the_table_walked_as_statements_gives_the_same),
		cmocka_unit_test(changes_lead_where_they_should),
		cmocka_unit_test(a_change_makes_pending_or_is_a_bug),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
