#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "runtime/rpc_caller.h"

#define HEX "7d589b6b567f42da9a2aaaf2a8340863"
#define QUEUE "reply_" HEX
#define CALLER "\"_msg_id\": \"m\", \"_reply_q\": \"" QUEUE "\""
#define INNER "\\\"_msg_id\\\": \\\"m\\\", \\\"_reply_q\\\": \\\"" QUEUE "\\\""
#define WRAPPED(inner) \
	"{\"oslo.version\": \"2.0\", \"oslo.message\": \"" inner "\"}"

static const struct {
	const char *name;
	bool want;
} names[] = {
	{ QUEUE, true },
	{ "reply_node1:svc:2", true },
	{ "reply_node1.example.org:neutron-server:12345", true },
	{ "reply_node_1::1", true },	/* a Python within another program has no name */
	{ "", false },
	{ "central", false },
	{ "central.recovery", false },
	{ "pool_manager.default", false },
	{ "reply_", false },
	{ "reply_1", false },
	{ "reply_none", false },
	{ HEX, false },
	{ "Reply_" HEX, false },
	{ "xreply_" HEX, false },
	{ "reply_7D589B6B567F42DA9A2AAAF2A8340863", false },
	{ "reply_7d589b6b567f42da9a2aaaf2a834086", false },
	{ "reply_7d589b6b567f42da9a2aaaf2a83408633", false },
	{ "reply_7d589b6b-567f-42da-9a2a-aaf2a8340863", false },
	{ QUEUE "\n", false },
	{ "reply_node1:svc:", false },
	{ "reply_node1:svc:2x", false },
	{ "reply_node1:svc:2:3", false },
	{ "reply_:svc:2", false },
	{ "reply_node1:svc", false },
	{ "reply_no de:svc:2", false },
	{ "reply_node1:s*c:2", false },
	{ "reply_node1:svc:1234567890123456789", false },
};

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (reply_queue_valid(names[i].name) != names[i].want)
			fail_msg("%s", names[i].name);
}

/* Bodies that are refused, and whether their caller can be told. */
static const struct {
	const char *body;
	bool want;
} bodies[] = {
	{ "{" CALLER "}", true },
	{ " \n{ " CALLER " }\r\n", true },
	{ WRAPPED("{" INNER "}"), true },
	{ "{\"oslo.message\": \"{" INNER "}\", \"oslo.version\": 3.0, \"s\": \"x\"}",
	  true },
	/* what is wrong with them */
	{ WRAPPED("{" INNER ", \\\"args\\\": {}, \\\"args\\\": {}}"), true },
	{ WRAPPED("{\\\"args\\\": {\\\"a\\\": 1e999}, " INNER "}"), true },
	{ WRAPPED("{\\\"args\\\": [NaN, -Infinity, 99999999999999999999], " INNER "}"),
	  true },
	{ WRAPPED("{\\\"args\\\": \\\"a\\u0000b\\\", " INNER "}"), true },
	{ WRAPPED("{\\\"args\\\": \\\"\\\\u0000 \\\\ud800 \\\\\\\" } \\\\\\\\\\\", "
	          INNER "}"), true },
	{ "{\"a\": "
	  "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]], "
	  CALLER "}", true },
	{ "{\"a\": {\"_msg_id\": \"other\", \"b\": \"}\"}, " CALLER "}", true },
	{ "{\"a\": \"\xff\xfe\", " CALLER "}", true },
	/* a key may be escaped, and a value */
	{ "{\"\\u005fmsg_id\": \"\\u006d\", \"_reply\\u005Fq\": \"" QUEUE "\"}", true },
	/* not both, or not once, or not at the top */
	{ "{}", false },
	{ "{\"_msg_id\": \"m\"}", false },
	{ "{\"_reply_q\": \"" QUEUE "\"}", false },
	{ "{" CALLER ", \"_msg_id\": \"m\"}", false },
	{ "{" CALLER ", \"_reply_q\": null}", false },
	{ "{\"args\": {" CALLER "}}", false },
	{ "{" CALLER ", \"oslo.version\": \"2.0\", \"oslo.message\": \"{}\"}", false },
	{ "{" CALLER ", \"oslo.version\": \"2.0\", \"oslo.message\": {}}", false },
	{ "{\"oslo.message\": \"{" INNER "}\"}", false },
	{ "{\"oslo.version\": \"2.0\", \"oslo.message\": \"{" INNER "}\", "
	  "\"oslo.message\": \"{}\"}", false },
	/* no texts, or not such ones */
	{ "{\"_msg_id\": 5, \"_reply_q\": \"" QUEUE "\"}", false },
	{ "{\"_msg_id\": \"\", \"_reply_q\": \"" QUEUE "\"}", false },
	{ "{\"_msg_id\": \"a b\", \"_reply_q\": \"" QUEUE "\"}", false },
	{ "{\"_msg_id\": \"h\xc3\xa9\", \"_reply_q\": \"" QUEUE "\"}", false },
	{ "{\"_msg_id\": \"m\", \"_reply_q\": \"central\"}", false },
	{ "{\"_msg_id\": \"m\", \"_reply_q\": [\"" QUEUE "\"]}", false },
	/* not a whole object */
	{ "", false },
	{ "[{" CALLER "}]", false },
	{ "{" CALLER, false },
	{ "{" CALLER "}}", false },
	{ "{" CALLER "} {}", false },
	{ "{" CALLER " \"a\": 1}", false },
	{ "{" CALLER ", \"a\" 1}", false },
	{ "{" CALLER ", \"a\": }", false },
	{ "{" CALLER ", \"a\": \"\\u00g0\"}", false },
	{ WRAPPED("{" INNER), false },
	{ WRAPPED("{" INNER "} x"), false },
};

static void check(const char *body, size_t len, size_t piece, bool want)
{
	struct caller_scan scan = { 0 };
	const char *msg_id, *queue;
	bool found;

	for (size_t at = 0; at < len; at += piece)
		caller_scan(&scan, body + at, len - at < piece ? len - at : piece);
	found = caller_found(&scan, &msg_id, &queue);
	if (found != want)
		fail_msg("%.200s", body);
	if (!found)
		return;
	assert_string_equal(msg_id, "m");
	assert_string_equal(queue, QUEUE);
}

static void test_bodies(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
		size_t len = strlen(bodies[i].body);

		check(bodies[i].body, len, len + 1, bodies[i].want);
		check(bodies[i].body, len, 1, bodies[i].want);
		check(bodies[i].body, len, 7, bodies[i].want);
	}
}

/* Longer than any buffer, and deeper than any stack. */
static void test_large_and_deep(void **state)
{
	static const char begin[] = "{\"a\": ", end[] = ", " CALLER "}";
	const size_t depth = 3 * 1000 * 1000;
	char *body = xmalloc(sizeof begin + 2 * depth + sizeof end), *at = body;

	(void)state;
	at = stpcpy(at, begin);
	memset(at, '[', depth);
	memset(at + depth, ']', depth);
	at = stpcpy(at + 2 * depth, end);
	check(body, (size_t)(at - body), 8192, true);
	free(body);
}

static void test_long_texts(void **state)
{
	char id[CALLER_TEXT_MAX + 2], body[2 * sizeof id + 64];
	struct caller_scan scan = { 0 }, longer = { 0 };
	const char *msg_id, *queue;

	(void)state;
	memset(id, 'x', sizeof id - 1);
	id[sizeof id - 1] = 0;
	snprintf(body, sizeof body, "{\"_msg_id\":\"%s\",\"_reply_q\":\"" QUEUE "\"}",
	         id);
	caller_scan(&longer, body, strlen(body));
	assert_false(caller_found(&longer, &msg_id, &queue));
	id[CALLER_TEXT_MAX] = 0;
	snprintf(body, sizeof body, "{\"_msg_id\":\"%s\",\"_reply_q\":\"" QUEUE "\"}",
	         id);
	caller_scan(&scan, body, strlen(body));
	assert_true(caller_found(&scan, &msg_id, &queue));
	assert_string_equal(msg_id, id);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_bodies),
		cmocka_unit_test(test_large_and_deep),
		cmocka_unit_test(test_long_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
