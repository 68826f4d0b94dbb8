#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "runtime/broker_private.h"

#define SIXTEEN(x) x "," x "," x "," x "," x "," x "," x "," x "," \
	x "," x "," x "," x "," x "," x "," x "," x
#define FIFTY "01234567890123456789012345678901234567890123456789"

/* hosts: "user:password@name:port", as they are understood, joined by spaces */
static const struct {
	const char *text;
	bool tls;
	const char *vhost, *hosts;
} valid[] = {
	{ "rabbit://h", false, "/", "guest:guest@h:5672" },
	{ "rabbit://h/", false, "/", "guest:guest@h:5672" },
	{ "rabbit://h//", false, "/", "guest:guest@h:5672" },
	{ "rabbit://h/%2F", false, "/", "guest:guest@h:5672" },
	{ "rabbit://h/%2f", false, "/", "guest:guest@h:5672" },
	{ "rabbits://h/v", true, "v", "guest:guest@h:5671" },
	{ "rabbit://u:p@h:1/v", false, "v", "u:p@h:1" },
	{ "rabbit://u@h:65535/v", false, "v", "u:@h:65535" },
	{ "rabbit://u:@h", false, "/", "u:@h:5672" },
	{ "rabbit://u:p@h1:5673,h2/v", false, "v", "u:p@h1:5673 u:p@h2:5672" },
	{ "rabbit://u:p@h1,a:b@h2,h3", false, "/",
	  "u:p@h1:5672 a:b@h2:5672 a:b@h3:5672" },
	{ "rabbit://a%40b:p%3A%2f%2C%25@h/a%20b/c", false, "a b/c", "a@b:p:/,%@h:5672" },
	{ "rabbit://u:p:q@r@h", false, "/", "u:p:q@r@h:5672" },
	{ "rabbit://[::1]", false, "/", "guest:guest@::1:5672" },
	{ "rabbit://u:p@[2001:db8::1]:5673,[fe80::1%eth0]", false, "/",
	  "u:p@2001:db8::1:5673 u:p@fe80::1%eth0:5672" },
	{ "rabbit://u:\xc3\xa9@h", false, "/", "u:\xc3\xa9@h:5672" },
};

static const struct {
	const char *text, *why;
} invalid[] = {
	{ "",                                   "must begin with" },
	{ "rabbit:/h",                          "must begin with" },
	{ "amqp://u:secret@h",                  "must begin with" },
	{ "RABBIT://h",                         "must begin with" },
	{ "rabbit://",                          "host name" },
	{ "rabbit:///v",                        "host name" },
	{ "rabbit://u:secret@/v",               "host name" },
	{ "rabbit://h1,,h2",                    "host name" },
	{ "rabbit://h,",                        "host name" },
	{ "rabbit://u:secret@h h",              "host name" },
	{ "rabbit://h\n",                       "host name" },
	{ "rabbit://h;x",                       "host name" },
	{ "rabbit://[::1",                      "]" },
	{ "rabbit://[]",                        "host name" },
	{ "rabbit://[::1]5672",                 ":" },
	{ "rabbit://h:",                        "number" },
	{ "rabbit://h:x",                       "number" },
	{ "rabbit://h:-1",                      "number" },
	{ "rabbit://h:+1",                      "number" },
	{ "rabbit://h:5672x",                   "number" },
	{ "rabbit://h:0",                       "1 to 65535" },
	{ "rabbit://h:65536",                   "1 to 65535" },
	{ "rabbit://h:4294972968",              "number" },
	{ "rabbit://h:1:2",                     "number" },
	{ "rabbit://u:secret%@h",               "password" },
	{ "rabbit://u:secret%4@h",              "password" },
	{ "rabbit://u:secret%4g@h",             "password" },
	{ "rabbit://u:secret%+1@h",             "password" },
	{ "rabbit://u:secret%00@h",             "password" },
	{ "rabbit://%00:secret@h",              "user" },
	{ "rabbit://u:secret@h/v%",             "virtual host" },
	{ "rabbit://h/%00",                     "virtual host" },
	{ "rabbit://u:secret@h/v?heartbeat=1",  "?option" },
	{ "rabbit://" SIXTEEN("h") ",h",        "at most 16" },
	{ "rabbit://h/" FIFTY FIFTY FIFTY FIFTY FIFTY "123456", "255 bytes" },
	{ "rabbit://u:" FIFTY FIFTY FIFTY FIFTY FIFTY "123456@h", "255 bytes" },
	{ "rabbit://" FIFTY FIFTY FIFTY FIFTY FIFTY "1234", "host name" },
};

static void describe(const struct broker_url *url, struct buf *text)
{
	for (size_t i = 0; i < url->count; i++)
		buf_printf(text, "%s%s:%s@%s:%d", i ? " " : "", url->hosts[i].user,
			   url->hosts[i].password, url->hosts[i].name,
			   url->hosts[i].port);
}

static void test_valid(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++) {
		struct broker_url url;
		struct buf hosts = { 0 };
		struct why why = { "" };

		if (broker_url_parse(valid[i].text, &url, &why))
			fail_msg("%s: %s", valid[i].text, why.text);
		describe(&url, &hosts);
		assert_string_equal(buf_string(&hosts), valid[i].hosts);
		assert_string_equal(url.vhost, valid[i].vhost);
		assert_int_equal(url.tls, valid[i].tls);
		broker_url_clear(&url);
		buf_clear(&hosts);
	}
}

/* The result is not touched, and the reason tells no secret. */
static void test_invalid(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++) {
		struct broker_url url = { .count = 77 };
		struct why why;

		if (broker_url_parse(invalid[i].text, &url, &why) != ERR_INVALID)
			fail_msg("taken: %s", invalid[i].text);
		if (!strstr(why.text, invalid[i].why))
			fail_msg("%s: %s", invalid[i].text, why.text);
		assert_null(strstr(why.text, "secret"));
		assert_int_equal(url.count, 77);
	}
}

/* Sixteen is the most, and a URL of 4096 bytes is read to its end. */
static void test_limits(void **state)
{
	struct broker_url url;
	struct why why;
	char *text = xmalloc(4098);

	(void)state;
	assert_int_equal(broker_url_parse("rabbit://" SIXTEEN("h"), &url, &why), OK);
	assert_int_equal(url.count, 16);
	broker_url_clear(&url);
	memset(text, '/', 4097);
	memcpy(text, "rabbit://h/", 11);
	text[4097] = '\0';
	assert_int_equal(broker_url_parse(text, &url, &why), ERR_INVALID);
	assert_non_null(strstr(why.text, "4096"));
	text[4096] = '\0';
	assert_int_equal(broker_url_parse(text, &url, &why), ERR_INVALID);
	assert_non_null(strstr(why.text, "255"));
	free(text);
}

/* Every beginning of a good URL is read within its bounds (the sanitizers watch). */
static void test_cut_short(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++)
		for (size_t len = 0; len <= strlen(valid[i].text); len++) {
			char *text = xmemdup(valid[i].text, len + 1);
			struct broker_url url;
			struct why why;

			text[len] = '\0';
			if (broker_url_parse(text, &url, &why) == OK)
				broker_url_clear(&url);
			free(text);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_valid),
		cmocka_unit_test(test_invalid),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
