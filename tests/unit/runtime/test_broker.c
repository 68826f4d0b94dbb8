#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "runtime/broker_private.h"

static void test_retry_step(void **state)
{
	static const struct {
		int delay_ms, want;
	} cases[] = {
		{ 0, 1000 }, { 1, 1000 }, { 1000, 1000 }, { 1001, 5000 }, { 5000, 5000 },
		{ 5001, 8000 }, { 8000, 8000 }, { 8001, 8000 }, { 86400000, 8000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(topology_retry_step(cases[i].delay_ms), cases[i].want);
}

static void test_check(void **state)
{
	static const struct {
		const char *url, *ca, *cert, *key, *why;	/* why NULL: it is good */
	} cases[] = {
		{ "rabbit://h",  NULL, NULL, NULL, NULL },
		{ "rabbits://h", "ca", NULL, NULL, NULL },
		{ "rabbits://h", "ca", "c",  "k",  NULL },
		{ "rabbits://h", NULL, NULL, NULL, "tls_ca" },
		{ "rabbits://h", "ca", "c",  NULL, "set both" },
		{ "rabbits://h", "ca", NULL, "k",  "set both" },
		{ "amqp://h",    NULL, NULL, NULL, "must begin with" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct broker_config config = {
			.url = (char *)cases[i].url,
			.tls_ca = (char *)cases[i].ca,
			.tls_cert = (char *)cases[i].cert,
			.tls_key = (char *)cases[i].key,
		};
		struct why why = { "" };
		enum err err = broker_check(&config, &why);

		assert_int_equal(err, cases[i].why ? ERR_INVALID : OK);
		if (cases[i].why)
			assert_non_null(strstr(why.text, cases[i].why));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_retry_step),
		cmocka_unit_test(test_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
