#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* cmocka has one; ours is in base/err.h */

#include <string.h>

#include "wait.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { OLD = 16, OURS = 17, NEWER = 18 };

static void outcomes(void **state)
{
	static const struct {
		bool is_deletion;
		enum task task;
		enum status status;
		uint32_t serial;
		bool is_everywhere;
		enum wait_outcome want;
	} cases[] = {
		/* deletion task         status          serial everywhere */
		{ false, TASK_ADD,    STATUS_PENDING, OURS,  false, WAIT_OPEN },
		{ false, TASK_UPDATE, STATUS_PENDING, OURS,  false, WAIT_OPEN },
		{ false, TASK_UPDATE, STATUS_PENDING, OURS,  true,  WAIT_OPEN },
		{ false, TASK_UPDATE, STATUS_PENDING, NEWER, true,  WAIT_ACTIVE },
		{ false, TASK_UPDATE, STATUS_PENDING, NEWER, false, WAIT_OPEN },
		{ false, TASK_UPDATE, STATUS_ERROR,   NEWER, true,  WAIT_ACTIVE },
		{ false, TASK_NONE,   STATUS_ACTIVE,  OURS,  false, WAIT_ACTIVE },
		{ false, TASK_NONE,   STATUS_ACTIVE,  NEWER, false, WAIT_ACTIVE },
		{ false, TASK_NONE,   STATUS_ACTIVE,  OLD,   false, WAIT_OPEN },
		{ false, TASK_ADD,    STATUS_ERROR,   OURS,  false, WAIT_ERROR },
		{ false, TASK_UPDATE, STATUS_ERROR,   OURS,  false, WAIT_ERROR },
		{ false, TASK_UPDATE, STATUS_ERROR,   NEWER, false, WAIT_ERROR },
		{ false, TASK_UPDATE, STATUS_ERROR,   OLD,   false, WAIT_OPEN },
		{ false, TASK_DELETE, STATUS_PENDING, OURS,  true,  WAIT_OPEN },
		{ false, TASK_NONE,   STATUS_DELETED, OURS,  false, WAIT_DELETED },
		{ true,  TASK_DELETE, STATUS_PENDING, OURS,  true,  WAIT_OPEN },
		{ true,  TASK_DELETE, STATUS_ERROR,   OURS,  false, WAIT_ERROR },
		{ true,  TASK_NONE,   STATUS_DELETED, OURS,  false, WAIT_DELETED },
		{ true,  TASK_NONE,   STATUS_ACTIVE,  OURS,  true,  WAIT_OPEN },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct goal goal = {
			.serial = OURS, .is_deletion = cases[i].is_deletion,
		};
		const struct domain_view view = {
			cases[i].task, cases[i].status, cases[i].serial,
			cases[i].is_everywhere,
		};

		assert_int_equal(wait_decide(&goal, &view), cases[i].want);
	}
}

/* `watch` takes any serial: which states end it, and is a deletion a failure? */
static void any_serial(void **state)
{
	static const struct {
		bool is_until_active;
		enum task task;
		enum status status;
		enum wait_outcome want;
	} cases[] = {
		/* until active  task         status */
		{ false, TASK_ADD,    STATUS_PENDING, WAIT_OPEN },
		{ false, TASK_NONE,   STATUS_ACTIVE,  WAIT_ACTIVE },
		{ false, TASK_UPDATE, STATUS_ERROR,   WAIT_ERROR },
		{ false, TASK_DELETE, STATUS_PENDING, WAIT_OPEN },
		{ false, TASK_DELETE, STATUS_ERROR,   WAIT_ERROR },
		{ false, TASK_NONE,   STATUS_DELETED, WAIT_DELETED },
		{ true,  TASK_ADD,    STATUS_PENDING, WAIT_OPEN },
		{ true,  TASK_NONE,   STATUS_ACTIVE,  WAIT_ACTIVE },
		{ true,  TASK_UPDATE, STATUS_ERROR,   WAIT_ERROR },
		{ true,  TASK_DELETE, STATUS_PENDING, WAIT_OPEN },
		{ true,  TASK_DELETE, STATUS_ERROR,   WAIT_OPEN },
		{ true,  TASK_NONE,   STATUS_DELETED, WAIT_DELETED },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct goal goal = {
			.is_any = true, .is_until_active = cases[i].is_until_active,
		};
		const struct domain_view view = { cases[i].task, cases[i].status, NEWER,
		                                  false };

		assert_int_equal(wait_decide(&goal, &view), cases[i].want);
		assert_int_equal(wait_must_exist(&goal), cases[i].is_until_active);
	}
	assert_true(wait_must_exist(&(struct goal){ .serial = OURS }));
	assert_false(wait_must_exist(&(struct goal){ .is_deletion = true }));
}

/* With a time limit, no ERROR ends the wait: at the limit, error_since_ms tells of it. */
static void an_error_before_the_limit(void **state)
{
	struct goal goal = { .serial = OURS, .patience = PATIENCE_LIMIT };

	(void)state;
	assert_int_equal(wait_allow_retries(&goal, WAIT_ERROR, 100000), WAIT_OPEN);
	assert_int_equal(wait_allow_retries(&goal, WAIT_ERROR, 900000), WAIT_OPEN);
	assert_int_equal(goal.error_since_ms, 100000);
	assert_int_equal(wait_allow_retries(&goal, WAIT_OPEN, 900001), WAIT_OPEN);
	assert_int_equal(goal.error_since_ms, 0);
	assert_int_equal(wait_allow_retries(&goal, WAIT_ACTIVE, 900002), WAIT_ACTIVE);
}

/* Without a time limit: an ERROR counts after 30 s in a row. */
static void an_error_that_lasts(void **state)
{
	static const struct {
		int64_t at_s;
		enum wait_outcome seen, want;
	} cases[] = {
		{ 100, WAIT_OPEN,    WAIT_OPEN },
		{ 101, WAIT_ERROR,   WAIT_OPEN },
		{ 130, WAIT_ERROR,   WAIT_OPEN },
		{ 131, WAIT_ERROR,   WAIT_ERROR },
		{ 132, WAIT_OPEN,    WAIT_OPEN },	/* it has recovered */
		{ 133, WAIT_ERROR,   WAIT_OPEN },
		{ 140, WAIT_DELETED, WAIT_DELETED },
		{ 150, WAIT_ERROR,   WAIT_OPEN },
		{ 160, WAIT_ACTIVE,  WAIT_ACTIVE },
	};
	struct goal goal = { .serial = OURS, .patience = PATIENCE_30_S };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(wait_allow_retries(&goal, cases[i].seen,
		                                    cases[i].at_s * 1000), cases[i].want);
}

/* A verdict of success or failure never rests on an older serial, over the wrap too. */
static void old_serials_settle_nothing(void **state)
{
	static const uint32_t serials[] = {
		0, 1, 17, 0x7fffffff, 0x80000000, 0xffffffff,
	};

	(void)state;
	for (size_t i = 0; i < COUNT(serials); i++) {
		const struct goal goal = { .serial = serials[i] };
		struct domain_view view = {
			TASK_NONE, STATUS_ACTIVE, serials[i] - 1, false,
		};

		assert_int_equal(wait_decide(&goal, &view), WAIT_OPEN);
		view.serial = serials[i] + 1;
		assert_int_equal(wait_decide(&goal, &view), WAIT_ACTIVE);
		view = (struct domain_view){
			TASK_UPDATE, STATUS_ERROR, serials[i] - 1, true,
		};
		assert_int_equal(wait_decide(&goal, &view), WAIT_OPEN);
	}
}

/* A server on which the zone is still being created has no row UPDATE, and no serial. */
static void serials_of_all_servers(void **state)
{
	static const struct { const char *servers; bool want; } cases[] = {
		{ "[]", false },
		{ "[['a', 'UPDATE', 17], ['b', 'UPDATE', 18]]", true },
		{ "[['a', 'UPDATE', 17], ['b', 'UPDATE', 16]]", false },
		{ "[['a', 'UPDATE', 17], ['b', 'UPDATE', null]]", false },
		{ "[['a', 'UPDATE', 17], ['b', 'CREATE', null]]", false },
		{ "[['b', 'CREATE', null], ['a', 'UPDATE', 17]]", false },
		{ "[['a', 'CREATE', null], ['a', 'UPDATE', 17]]", true },
		{ "[['a', 'UPDATE', 17], ['b', 'DELETE', null]]", true },
		{ "[['b', 'DELETE', null]]", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *domain = json_object(), *rows = json_array(), *row;
		struct buf text = { 0 };
		size_t j;

		for (const char *at = cases[i].servers; *at; at++)
			buf_printf(&text, "%c", *at == '\'' ? '"' : *at);

		json_t *listed = json_loads(buf_string(&text), 0, NULL);

		json_array_foreach(listed, j, row)
			json_array_append_new(rows, json_pack("{s:O, s:O, s:O}",
				"id", json_array_get(row, 0), "action",
				json_array_get(row, 1), "serial",
				json_array_get(row, 2)));
		json_object_set_new(domain, "servers", rows);
		assert_int_equal(wait_is_everywhere(domain, OURS), cases[i].want);
		buf_clear(&text);
		json_decref(listed);
		json_decref(domain);
	}
}

/* Two servers, and two actions of one server, can fail for one reason. */
static void reasons_once(void **state)
{
	static const struct { const char *servers, *want, *task; } cases[] = {
		{ "[]", "" },
		{ "[['bind', 'ERROR', 'a'], ['nsd', 'ERROR', 'b']]",
		  "bind: a; nsd: b" },
		{ "[['bind', 'ERROR', 'a'], ['bind', 'ERROR', 'a']]", "bind: a" },
		{ "[['bind', 'ERROR', 'a'], ['knot', null, 'b'], ['nsd', 'ERROR', 'a'],"
		  " ['knot', 'ERROR', 'c']]", "bind, nsd: a; knot: b; knot: c" },
		{ "[['bind', 'SUCCESS', 'a'], ['knot', 'ERROR', ''],"
		  " ['nsd', 'ERROR', 'a']]",
		  "nsd: a" },
		/* of a deletion, only the rows of the deletion count */
		{ "[['bind', 'ERROR', 'a', 'UPDATE'], ['bind', null, 'b', 'DELETE'],"
		  " ['knot', 'ERROR', 'a', 'CREATE'], ['knot', 'SUCCESS', '', 'DELETE']]",
		  "bind: b", "DELETE" },
		{ "[['bind', 'ERROR', 'a', 'CREATE'], ['bind', 'ERROR', 'b', 'UPDATE']]",
		  "bind: a; bind: b", "UPDATE" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *domain = json_object(), *rows = json_array();
		struct buf text = { 0 }, words = { 0 };

		for (const char *at = cases[i].servers; *at; at++)
			buf_printf(&text, "%c", *at == '\'' ? '"' : *at);

		json_t *listed = json_loads(buf_string(&text), 0, NULL), *row;
		size_t j;

		json_array_foreach(listed, j, row)
			json_array_append_new(rows, json_pack("{s:O, s:O, s:O, s:O*}",
				"id", json_array_get(row, 0), "status",
				json_array_get(row, 1), "reason",
				json_array_get(row, 2), "action",
				json_array_get(row, 3)));
		json_object_set_new(domain, "servers", rows);
		json_object_set_new(domain, "task", json_string(cases[i].task
			? cases[i].task : "UPDATE"));
		wait_explain_servers(domain, &words);
		assert_string_equal(buf_string(&words), cases[i].want);
		json_decref(listed);
		json_decref(domain);
		buf_clear(&text);
		buf_clear(&words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outcomes),
		cmocka_unit_test(any_serial),
		cmocka_unit_test(an_error_before_the_limit),
		cmocka_unit_test(an_error_that_lasts),
		cmocka_unit_test(old_serials_settle_nothing),
		cmocka_unit_test(serials_of_all_servers),
		cmocka_unit_test(reasons_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
