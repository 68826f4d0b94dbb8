#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* cmocka has one; ours is in base/err.h */

#include <string.h>

#include "model/messages.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define DOMAIN "{\"id\": \"0123456789abcdef0123456789abcdef\", \"name\": \"x.org.\"," \
	"\"pool\": \"default\", \"tenant\": \"t\", \"task\": \"UPDATE\"," \
	"\"status\": \"PENDING\", \"serial\": 4294967295}"
#define SERVER "{\"id\": \"ns1\", \"host\": \"192.0.2.1\", \"port\": 53," \
	"\"tsig_key\": \"k.\"}"

#define CATALOG "{\"id\": \"0123456789abcdef0123456789abcdef\", \"name\": \"c.org.\"," \
	"\"pool\": \"default\", \"tenant\": \"\", \"task\": \"UPDATE\"," \
	"\"status\": \"PENDING\", \"serial\": 7, \"catalog\": true}"
#define PATIENT "{\"id\": \"ns1\", \"host\": \"192.0.2.1\", \"port\": 53," \
	"\"tsig_key\": null, \"patience\": 60}"

#define ORDER  "{\"domain\": " DOMAIN ", \"destination\": " SERVER ", \"timeout\": 2," \
	"\"retry_interval\": 0.25, \"max_retries\": 10}"
#define MANY   "{\"domains\": [" DOMAIN "," DOMAIN "]," \
	"\"destinations\": [" SERVER "," SERVER "]," \
	"\"timeout\": 2, \"retry_interval\": 0.25, \"max_retries\": 10}"
#define ANSWER "{\"domain\": " DOMAIN ", \"name_server\": \"ns1\"," \
	"\"status\": \"SUCCESS\", \"serial_number\": 7, \"reason\": \"\"}"
#define DIFFERENCE "{\"domain\": " DOMAIN ", \"name_server\": \"ns1\"," \
	"\"status\": \"SUCCESS\", \"serial_number\": 7, \"differs\": true," \
	"\"reason\": \"lacks 1\"}"
#define CHECKS "{\"pool\": \"default\", \"timeout\": 2.5, \"servers\": [" \
	"{\"id\": \"ns1\", \"host\": \"192.0.2.1\", \"port\": 53," \
	"\"tsig_key\": null, \"zone\": \"x.org.\"}]}"
#define CHECKED "{\"servers\": [{\"name_server\": \"ns1\", \"silent\": true," \
	"\"reason\": \"no answer\"}]}"
#define AGREED "{\"domain\": " DOMAIN ", \"status\": \"ERROR\", \"serial_number\": 7," \
	"\"reason\": \"two of three\"}"

static struct why why;

/* A message: its wire form, and decode then encode, which must give it back. */
static json_t *again_order(const json_t *args, enum err *err)
{
	struct poll_order order;

	*err = poll_order_decode(args, &order, &why);
	return *err ? NULL : poll_order_encode(&order);
}

static struct arena *arena;

static json_t *again_many(const json_t *args, enum err *err)
{
	struct propagation propagation;

	*err = propagation_decode(args, arena, &propagation, &why);
	return *err ? NULL : propagation_encode(&propagation);
}

static json_t *again_domains(const json_t *args, enum err *err)
{
	struct domain_refs domains;

	*err = domain_refs_decode(args, arena, &domains, &why);
	return *err ? NULL : domain_refs_encode(&domains);
}

static json_t *again_answers(const json_t *args, enum err *err)
{
	struct server_reports reports;
	json_t *list = json_array();

	*err = server_reports_decode(args, arena, &reports, &why);
	for (size_t i = 0; !*err && i < reports.count; i++)
		json_array_append_new(list, server_report_encode(&reports.item[i]));
	return json_pack("{s:o}", "reports", list);
}

static json_t *again_all_agreed(const json_t *args, enum err *err)
{
	struct pool_reports reports;

	*err = pool_reports_decode(args, arena, &reports, &why);
	return *err ? NULL : pool_reports_encode(&reports);
}

static json_t *again_answer(const json_t *args, enum err *err)
{
	struct server_report report;

	*err = server_report_decode(args, &report, &why);
	return *err ? NULL : server_report_encode(&report);
}

static json_t *again_checks(const json_t *args, enum err *err)
{
	struct server_checks checks;

	*err = server_checks_decode(args, arena, &checks, &why);
	return *err ? NULL : server_checks_encode(&checks);
}

static json_t *again_checked(const json_t *args, enum err *err)
{
	struct server_answers answers;

	*err = server_answers_decode(args, arena, &answers, &why);
	return *err ? NULL : server_answers_encode(&answers);
}

static json_t *again_agreed(const json_t *args, enum err *err)
{
	struct pool_report report;

	*err = pool_report_decode(args, &report, &why);
	return *err ? NULL : pool_report_encode(&report);
}

static json_t *again_domain(const json_t *args, enum err *err)
{
	struct domain_ref domain;

	*err = domain_ref_decode(args, &domain, &why);
	return *err ? NULL : domain_ref_encode(&domain);
}

static const struct message {
	const char *body;
	json_t *(*again)(const json_t *args, enum err *err);
} messages[] = {
	{ ORDER,  again_order },
	{ ANSWER, again_answer },
	{ AGREED, again_agreed },
	{ DOMAIN, again_domain },
	{ MANY,   again_many },
	{ "{\"domains\": [" DOMAIN "," DOMAIN "]}", again_domains },
	{ "{\"domains\": []}", again_domains },
	{ CATALOG, again_domain },
	{ "{\"domain\": " CATALOG ", \"destination\": " PATIENT ", \"timeout\": 2,"
	  "\"retry_interval\": 0.25, \"max_retries\": 10}", again_order },
	{ "{\"reports\": [" ANSWER "," ANSWER "]}", again_answers },
	{ "{\"reports\": [" AGREED "," AGREED "]}", again_all_agreed },
	{ DIFFERENCE, again_answer },
	{ CHECKS, again_checks },
	{ CHECKED, again_checked },
};

enum {
	AN_ORDER, AN_ANSWER, AN_AGREED, A_DOMAIN, MANY_ORDERS, DOMAINS, NO_DOMAINS,
	A_CATALOG, A_PATIENT_ORDER,
	ALL_ANSWERS, ALL_AGREED, A_DIFFERENCE, SOME_CHECKS, SOME_CHECKED,
};

static json_t *load(const char *body)
{
	json_t *json = json_loads(body, JSON_DECODE_ANY, NULL);

	assert_non_null(json);
	return json;
}

static void decode_and_encode(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(messages); i++) {
		json_t *args = load(messages[i].body);
		enum err err;
		json_t *again = messages[i].again(args, &err);

		assert_int_equal(err, OK);
		assert_true(json_equal(args, again));
		json_decref(again);
		json_decref(args);
	}
}

/* The object at PARENT ("domain") in ARGS, or ARGS itself for "". */
static json_t *at(json_t *args, const char *parent)
{
	return *parent ? json_object_get(args, parent) : args;
}

static void fields(void **state)
{
	static const struct {
		int message;
		const char *parent, *key, *value;	/* NULL: without the key */
		bool valid;
	} cases[] = {
		{ MANY_ORDERS, "",          "destinations",   NULL,              false },
		{ MANY_ORDERS, "",          "destinations",   "{}",              false },
		{ MANY_ORDERS, "",          "destinations",   "[]",              true },
		{ MANY_ORDERS, "",          "destinations",   "[{}]",            false },
		{ MANY_ORDERS, "",          "destinations",   "[" SERVER ", 1]", false },
		{ MANY_ORDERS, "",          "max_retries",    NULL,              false },
		{ MANY_ORDERS, "",          "domains",        NULL,              false },
		{ MANY_ORDERS, "",          "domains",        "[1]",             false },
		{ MANY_ORDERS, "",          "domains",        "[" DOMAIN ", {}]", false },
		{ ALL_ANSWERS, "",          "reports",        "[]",              true },
		{ ALL_ANSWERS, "",          "reports",        "[" AGREED "]",    false },
		{ ALL_AGREED,  "",          "reports",        "\"all\"",         false },
		{ ALL_AGREED,  "",          "reports",        "[[]]",            false },
		{ AN_ORDER,  "",            "timeout",        "0.01",            true },
		{ AN_ORDER,  "",            "timeout",        "3600",            true },
		{ AN_ORDER,  "",            "timeout",        "0.009",           false },
		{ AN_ORDER,  "",            "timeout",        "3600.1",          false },
		{ AN_ORDER,  "",            "timeout",        "-1",              false },
		{ AN_ORDER,  "",            "timeout",        "\"2\"",           false },
		{ AN_ORDER,  "",            "timeout",        "1e300",           false },
		{ AN_ORDER,  "",            "timeout",        NULL,              false },
		{ AN_ORDER,  "",            "retry_interval", "0",               false },
		{ AN_ORDER,  "",            "max_retries",    "0",               true },
		{ AN_ORDER,  "",            "max_retries",    "1000",            true },
		{ AN_ORDER,  "",            "max_retries",    "1001",            false },
		{ AN_ORDER,  "",            "max_retries",    "-1",              false },
		{ AN_ORDER,  "",            "max_retries",    NULL,              false },
		{ AN_ORDER,  "",            "destination",    NULL,              false },
		{ AN_ORDER,  "",            "destination",    "[]",              false },
		{ AN_ORDER,  "",            "from_the_future", "{}",              true },
		{ AN_ORDER,  "destination", "host",           "\"2001:db8::1\"", true },
		{ AN_ORDER,  "destination", "host",           "\"ns1.x.\"",      false },
		{ AN_ORDER,  "destination", "host",           "\"192.0.2\"",     false },
		{ AN_ORDER,  "destination", "host",           "\"192.0.2.1 \"",  false },
		{ AN_ORDER,  "destination", "host",           "\"\"",            false },
		{ AN_ORDER,  "destination", "port",           "65535",           true },
		{ AN_ORDER,  "destination", "port",           "0",               false },
		{ AN_ORDER,  "destination", "port",           "65536",           false },
		{ AN_ORDER,  "destination", "id",             "\"\"",            false },
		{ AN_ORDER,  "destination", "tsig_key",       "null",            true },
		{ AN_ORDER,  "destination", "tsig_key",       "1",               false },
		{ AN_ANSWER, "",            "name_server",    NULL,              false },
		{ AN_ANSWER, "",            "name_server",    "{}",              false },
		{ AN_ANSWER, "",            "status",         "\"NO_DOMAIN\"",   true },
		{ AN_ANSWER, "",            "status",         "\"PENDING\"",     false },
		{ AN_ANSWER, "",            "serial_number",  "null",            true },
		{ AN_ANSWER, "",            "serial_number",  NULL,              false },
		{ AN_ANSWER, "",            "serial_number",  "4294967296",      false },
		{ AN_ANSWER, "",            "reason",         "1",               false },
		{ AN_ANSWER, "",            "differs",        "true",            true },
		{ AN_ANSWER, "",            "differs",        "null",            true },
		{ AN_ANSWER, "",            "differs",        "1",               false },
		{ AN_ANSWER, "",            "differs",        "\"true\"",        false },
		{ AN_ANSWER, "",            "unasked",        "true",            true },
		{ AN_ANSWER, "",            "unasked",        "1",               false },
		{ A_DIFFERENCE, "",         "differs",        "false",           true },
		{ A_DIFFERENCE, "",         "equal",          "true",            false },
		{ A_DIFFERENCE, "",         "refused",        "true",            false },
		{ AN_ANSWER, "",            "equal",          "true",            true },
		{ AN_ANSWER, "",            "equal",          "1",               false },
		{ AN_ANSWER, "",            "refused",        "true",            false },
		{ A_DIFFERENCE, "",         "transfers",      "2",               true },
		{ A_DIFFERENCE, "",         "transfers",      "-1",              false },
		{ A_DIFFERENCE, "",         "transfers",      "1000001",         false },
		{ A_DIFFERENCE, "",         "transfers",      "\"2\"",           false },
		{ A_DIFFERENCE, "",         "serial_number",  "8",               true },
		{ A_DIFFERENCE, "",         "serial_number",  "null",            false },
		{ A_DIFFERENCE, "",         "status",         "\"ERROR\"",       false },
		{ A_DIFFERENCE, "",         "status",         "\"NO_DOMAIN\"",   false },
		{ AN_AGREED, "",            "serial_number",  "0",               true },
		{ AN_AGREED, "",            "serial_number",  "null",            false },
		{ AN_AGREED, "",            "serial_number",  "-1",              false },
		{ AN_AGREED, "",            "status",         NULL,              false },
		{ AN_AGREED, "",            "domain",         NULL,              false },
		{ AN_AGREED, "domain",      "id",             "\"x\"",           false },
		{ A_DOMAIN,  "",            "name",           "\".\"",           true },
		{ A_DOMAIN,  "",            "name",           "\"example.org\"", false },
		{ A_DOMAIN,  "",            "name",           "\"Example.org.\"", false },
		{ A_DOMAIN,  "",            "name",           "\"ex\\nample.\"", false },
		{ A_DOMAIN,  "",            "name",           NULL,              false },
		{ A_DOMAIN,  "",            "pool",           "\"\"",            false },
		{ A_DOMAIN,  "",            "tenant",         "\"\"",            true },
		{ A_DOMAIN,  "",            "tenant",         NULL,              false },
		{ A_DOMAIN,  "",            "task",           "\"NONE\"",        false },
		{ A_DOMAIN,  "",            "task",           "\"DELETE\"",      true },
		{ A_DOMAIN,  "",            "task",           "\"FORGET\"",      false },
		{ A_DOMAIN,  "",            "status",         "\"ACTIVE\"",      false },
		{ A_DOMAIN,  "",            "status",         "\"ERROR\"",       true },
		{ A_DOMAIN,  "",            "serial",         "4294967295",      true },
		{ A_DOMAIN,  "",            "serial",         "4294967296",      false },
		{ A_DOMAIN,  "",            "serial",         "1.5",             false },
		{ A_CATALOG, "",            "catalog",        "false",           true },
		{ A_CATALOG, "",            "catalog",        "1",               false },
		{ A_PATIENT_ORDER, "destination", "patience", NULL,              true },
		{ A_PATIENT_ORDER, "destination", "patience", "3600",            true },
		{ A_PATIENT_ORDER, "destination", "patience", "3601",            false },
		{ A_PATIENT_ORDER, "destination", "patience", "-1",              false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct message *message = &messages[cases[i].message];
		json_t *args = load(message->body);
		json_t *parent = at(args, cases[i].parent);
		enum err err;

		json_object_del(parent, cases[i].key);
		if (cases[i].value)
			json_object_set_new(parent, cases[i].key, load(cases[i].value));
		json_decref(message->again(args, &err));
		if (!err != cases[i].valid)
			print_error("%s %s\n", cases[i].key, cases[i].value);
		assert_int_equal(err, cases[i].valid ? OK : ERR_INVALID);
		if (err)
			assert_non_null(strstr(why.text, cases[i].key));
		json_decref(args);
	}
}

static void reasons_say_where(void **state)
{
	json_t *args = load(AGREED);
	enum err err;

	(void)state;
	json_object_del(at(args, "domain"), "id");
	json_decref(again_agreed(args, &err));
	assert_int_equal(err, ERR_INVALID);
	assert_string_equal(why.text, "domain.id is missing");
	json_decref(args);

	args = load("{\"reports\": [" AGREED "," AGREED "]}");
	json_t *second = json_array_get(json_object_get(args, "reports"), 1);
	json_object_del(json_object_get(second, "domain"), "id");
	json_decref(again_all_agreed(args, &err));
	assert_int_equal(err, ERR_INVALID);
	assert_string_equal(why.text, "reports[1].domain.id is missing");
	json_decref(args);
}

static void lists_have_an_end(void **state)
{
	json_t *list = json_array(), *args = json_pack("{s:o}", "domains", list);
	enum err err;

	(void)state;
	for (int i = 0; i <= LIST_MAX; i++) {
		assert_int_equal(json_array_size(list), i);
		json_decref(again_domains(args, &err));
		assert_int_equal(err, OK);
		json_array_append_new(list, load(DOMAIN));
	}
	json_decref(again_domains(args, &err));
	assert_int_equal(err, ERR_INVALID);
	json_decref(args);
}

static void outcomes_travel(void **state)
{
	json_t *outcomes = json_array();

	(void)state;
	fail(&why, ERR_BUSY, "later");
	json_array_append_new(outcomes, outcome_encode(OK, &why));
	json_array_append_new(outcomes, outcome_encode(ERR_BUSY, &why));
	json_array_append_new(outcomes, json_integer(1));
	assert_int_equal(outcome_decode(outcomes, 0, &why), OK);
	assert_int_equal(outcome_decode(outcomes, 1, &why), ERR_BUSY);
	assert_string_equal(why.text, "later");
	assert_int_equal(outcome_decode(outcomes, 2, &why), ERR_REMOTE);
	assert_int_equal(outcome_decode(outcomes, 3, &why), ERR_REMOTE);
	assert_int_equal(outcome_decode(NULL, 0, &why), ERR_REMOTE);
	json_decref(outcomes);
}

static void times_travel_in_seconds(void **state)
{
	json_t *args = load(ORDER);
	struct poll_order order;

	(void)state;
	assert_int_equal(poll_order_decode(args, &order, &why), OK);
	assert_int_equal(order.timeout_ms, 2000);
	assert_int_equal(order.retry_interval_ms, 250);
	json_decref(args);
}

/* Whatever a reason quotes, the message goes out and is read. */
static void any_reason_travels(void **state)
{
	static const struct {
		const char *reason, *want;
	} cases[] = {
		{ "",               "" },
		{ "timed out",      "timed out" },
		{ "caf\xc3\xa9",    "caf\xc3\xa9" },
		{ "bad \xff\xfe",   "bad ??" },
		{ "a\nb\x01",       "a\nb\x01" },
	};
	struct server_report report = {
		.domain = { "0123456789abcdef0123456789abcdef", "x.", "p", "t",
		            { TASK_ADD, STATUS_ERROR, 1 } },
		.name_server = "ns1", .report = REPORT_ERROR,
	}, got;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		report.reason = cases[i].reason;

		json_t *args = server_report_encode(&report);

		assert_int_equal(server_report_decode(args, &got, &why), OK);
		assert_false(got.has_serial);
		assert_string_equal(got.reason, cases[i].want);
		json_decref(args);
	}
}

static void long_reasons_are_cut_between_characters(void **state)
{
	char reason[3001] = "";
	struct pool_report report = {
		.domain = { "0123456789abcdef0123456789abcdef", "x.", "p", "t",
		            { TASK_ADD, STATUS_ERROR, 1 } },
		.report = REPORT_ERROR, .reason = reason,
	}, got;

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		memcpy(reason + 3 * i, "\xe2\x82\xac", 4);

	json_t *args = pool_report_encode(&report);

	assert_int_equal(pool_report_decode(args, &got, &why), OK);
	assert_int_equal(strlen(got.reason), 1023);
	json_decref(args);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decode_and_encode),
		cmocka_unit_test(fields),
		cmocka_unit_test(reasons_say_where),
		cmocka_unit_test(lists_have_an_end),
		cmocka_unit_test(outcomes_travel),
		cmocka_unit_test(times_travel_in_seconds),
		cmocka_unit_test(any_reason_travels),
		cmocka_unit_test(long_reasons_are_cut_between_characters),
	};

	arena = arena_new();

	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_free(&arena);
	return failed;
}
