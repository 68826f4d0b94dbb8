#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "runtime/db_private.h"
#include "runtime/tx.h"

/* ---- hosts ---- */

static const struct {
	const char *list;
	const char *want;	/* "name port, ..." or NULL: refused */
} host_cases[] = {
	{ "127.0.0.1",              "127.0.0.1 3306" },
	{ "a:3307, b ,c:1",         "a 3307, b 3306, c 1" },
	{ "/run/db.sock,a",         "/run/db.sock 0, a 3306" },
	{ "[2001:db8::1]:3307,[::1]", "2001:db8::1 3307, ::1 3306" },
	{ "a:65535",                "a 65535" },
	{ "",                       NULL },
	{ "a,,b",                   NULL },
	{ "a,",                     NULL },
	{ ":3306",                  NULL },
	{ "a:",                     NULL },
	{ "a:0",                    NULL },
	{ "a:65536",                NULL },
	{ "a:99999999999",          NULL },
	{ "a:3306x",                NULL },
	{ "::1",                    NULL },
	{ "[::1",                   NULL },
	{ "[]:1",                   NULL },
	{ "[::1]3306",              NULL },
	{ "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", NULL },
};

static void print_hosts(const struct db_hosts *hosts, char *text, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < hosts->count; i++)
		len += snprintf(text + len, size - len, "%s%s %u", i ? ", " : "",
		                hosts->item[i].name, hosts->item[i].port);
}

static void test_hosts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof host_cases / sizeof host_cases[0]; i++) {
		struct db_hosts hosts = { .count = 0 };
		struct why why = { "" };
		char got[1024] = "";
		enum err err = db_hosts_parse(host_cases[i].list, &hosts, &why);

		print_message("%s\n", host_cases[i].list);
		assert_int_equal(err, host_cases[i].want ? OK : ERR_INVALID);
		print_hosts(&hosts, got, sizeof got);
		assert_string_equal(got, host_cases[i].want ? host_cases[i].want : "");
		assert_int_equal(why.text[0] == 0, host_cases[i].want != NULL);
		db_hosts_clear(&hosts);
	}
}

/* ---- errors ---- */

static const struct {
	unsigned number;
	const char *text;
	enum err err;
	enum db_connection connection;
	const char *want;
} error_cases[] = {
	{ 1213, "Deadlock found", ERR_RACE, DB_STAYS, "database: Deadlock found (1213)" },
	{ 1205, "x", ERR_RACE, DB_UNCERTAIN, "database: x (1205)" },
	{ 1020, "x", ERR_RACE, DB_STAYS, "database: x (1020)" },
	{ 1180, "x", ERR_RACE, DB_STAYS, "database: x (1180)" },
	{ 1969, "x", ERR_BUSY, DB_STAYS, "database: x (1969)" },
	{ 3024, "x", ERR_BUSY, DB_STAYS, "database: x (3024)" },
	{ 1927, "x", ERR_RACE, DB_LOST, "database: x (1927)" },
	{ 2006, "x", ERR_RACE, DB_LOST, "database: x (2006)" },
	{ 2013, "x", ERR_RACE, DB_LOST, "database: x (2013)" },
	{ 1053, "x", ERR_RACE, DB_LOST, "database: x (1053)" },
	{ 1290, "x", ERR_UNREACHABLE, DB_REFUSED, "database: x (1290)" },
	{ 1836, "x", ERR_UNREACHABLE, DB_REFUSED, "database: x (1836)" },
	{ 1047, "x", ERR_UNREACHABLE, DB_REFUSED, "database: x (1047)" },
	{ 1040, "x", ERR_UNREACHABLE, DB_REFUSED, "database: x (1040)" },
	{ 1044, "x", ERR_UNREACHABLE, DB_REFUSED, "database: x (1044)" },
	{ 1045, "x", ERR_UNREACHABLE, DB_REFUSED, "database: x (1045)" },
	{ 1046, "x", ERR_UNREACHABLE, DB_REFUSED, "database: x (1046)" },
	{ 1049, "x", ERR_UNREACHABLE, DB_REFUSED, "database: x (1049)" },
	{ 1142, "x", ERR_UNREACHABLE, DB_REFUSED, "database: x (1142)" },
	{ 1143, "x", ERR_UNREACHABLE, DB_REFUSED, "database: x (1143)" },
	{ 1153, "x", ERR_TOO_LARGE, DB_LOST, "database: x (1153)" },
	{ 2014, "out of sync", ERR_INTERNAL, DB_LOST, "database: out of sync (2014)" },
	{ 1064, "syntax", ERR_INTERNAL, DB_STAYS, "database: syntax (1064)" },

	/* A bound value is never repeated, not even one like the words around it. */
	{ 1062, "Duplicate entry 'secret' for key 'domain_name'", ERR_EXISTS, DB_STAYS,
	  "database: the row already exists: domain_name (1062)" },
	{ 1062, "Duplicate entry 'a' for key secret' for key 'k'", ERR_EXISTS, DB_STAYS,
	  "database: the row already exists: k (1062)" },
	{ 1452, "Cannot add: a foreign key constraint fails (`z`.`records`, CONSTRAINT "
	  "`record_recordset` FOREIGN KEY (`a`) REFERENCES `b` (`id`))",
	  ERR_CONFLICT, DB_STAYS,
	  "database: the parent row no longer exists: record_recordset (1452)" },
	{ 1451, "(`z`.`domains`, CONSTRAINT `domain_pool` FOREIGN KEY", ERR_CONFLICT,
	  DB_STAYS, "database: the row is still in use: domain_pool (1451)" },
	{ 4025, "CONSTRAINT `domain_state` failed for `z`.`domains`", ERR_INTERNAL,
	  DB_STAYS,
	  "database: a rule of the table forbids the value: domain_state (4025)" },
	{ 3819, "Check constraint 'domain_state' is violated.", ERR_INTERNAL, DB_STAYS,
	  "database: a rule of the table forbids the value: domain_state (3819)" },
	{ 1406, "Data too long for column 'name' at row 1", ERR_INVALID, DB_STAYS,
	  "database: the value is too long: name (1406)" },
	{ 1264, "Out of range value for column 'serial' at row 1", ERR_INVALID, DB_STAYS,
	  "database: the value is out of range: serial (1264)" },
	{ 1366, "Incorrect string value: 'secret' for column `z`.`d`.`name` at row 1",
	  ERR_INVALID, DB_STAYS, "database: the value is not valid: z.d.name (1366)" },
	{ 1062, "", ERR_EXISTS, DB_STAYS, "database: the row already exists (1062)" },
	{ 1062, "for key ", ERR_EXISTS, DB_STAYS,
	  "database: the row already exists (1062)" },
};

static void test_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof error_cases / sizeof error_cases[0]; i++) {
		struct why why;
		struct db_error got = db_error(error_cases[i].number,
		                               error_cases[i].text, &why);

		assert_string_equal(why.text, error_cases[i].want);
		assert_int_equal(got.err, error_cases[i].err);
		assert_int_equal(got.connection, error_cases[i].connection);
	}
}

/* ---- redo ---- */

struct attempts {
	int races, made;
};

static enum err race(void *self, struct why *why)
{
	struct attempts *attempts = self;

	(void)why;
	return attempts->made++ < attempts->races ? ERR_RACE : ERR_EXISTS;
}

static void test_redo(void **state)
{
	static const struct {
		int races, made;
		enum err err;
	} table[] = {
		{ 0, 1, ERR_EXISTS }, { 2, 3, ERR_EXISTS },
		{ 7, 8, ERR_EXISTS }, { 8, 8, ERR_RACE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		struct attempts attempts = { .races = table[i].races };
		struct why why;

		assert_int_equal(tx_retry(race, &attempts, &why), table[i].err);
		assert_int_equal(attempts.made, table[i].made);
	}
}

static void test_pauses(void **state)
{
	(void)state;
	for (int attempt = 0; attempt < 100; attempt++)
		assert_in_range(tx_retry_pause_ms(attempt), 5, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_redo),
		cmocka_unit_test(test_pauses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
