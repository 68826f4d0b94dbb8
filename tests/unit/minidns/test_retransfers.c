#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "core/retransfers.h"
#include "packets.h"

enum { MINUTE = 60 * 1000, HOUR = 60 * MINUTE };

static struct address address_of(const char *text)
{
	struct address address;

	assert_true(address_parse(text, 53, &address));
	return address;
}

static void transfers_of_a_watched_zone_count(void **state)
{
	static const struct {
		const char *zone, *server;
		uint32_t serial;
		const char *id;
		int count;		/* of example.org. at 192.0.2.1, serial 7 */
	} table[] = {
		{ "example.org.", "192.0.2.1", 7, "a", 1 },
		{ "example.org.", "192.0.2.1", 7, "a", 1 },	/* it came again */
		{ "example.org.", "192.0.2.1", 7, "b", 2 },
		{ "example.net.", "192.0.2.1", 7, "c", 2 },
		{ "example.org.", "192.0.2.2", 7, "d", 2 },
		{ "example.org.", "192.0.2.1", 8, "e", 0 },	/* another difference */
		{ "example.org.", "192.0.2.1", 7, "f", 1 },
	};
	struct retransfers *retransfers = retransfers_new(1);
	const struct name zone = name_of("example.org.");
	const struct address server = address_of("192.0.2.1");

	(void)state;
	assert_true(retransfers_needs_watch(retransfers, &zone, &server, 0));
	retransfers_count(retransfers, &zone, &server, 7, "before");
	assert_int_equal(retransfers_of(retransfers, &zone, &server, 7), 0);
	retransfers_watch(retransfers, &zone, &server, 0);
	assert_true(retransfers_is_watched(retransfers, &zone, &server));
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct name of = name_of(table[i].zone);
		const struct address at = address_of(table[i].server);

		retransfers_count(retransfers, &of, &at, table[i].serial, table[i].id);
		assert_int_equal(retransfers_of(retransfers, &zone, &server, 7),
		                 table[i].count);
	}
	retransfers_free(&retransfers);
}

static void a_zone_is_watched_for_an_hour(void **state)
{
	struct retransfers *retransfers = retransfers_new(1);
	const struct name zone = name_of("example.org."), other = name_of("example.net.");
	const struct address server = address_of("2001:db8::1");

	(void)state;
	retransfers_watch(retransfers, &zone, &server, 0);
	retransfers_count(retransfers, &zone, &server, 7, "a");
	assert_false(retransfers_needs_watch(retransfers, &zone, &server, 5 * MINUTE));
	assert_true(retransfers_needs_watch(retransfers, &zone, &server, 5 * MINUTE + 1));
	/* keeps the count */
	retransfers_watch(retransfers, &zone, &server, 30 * MINUTE);
	assert_int_equal(retransfers_of(retransfers, &zone, &server, 7), 1);
	retransfers_watch(retransfers, &other, &server, 30 * MINUTE + HOUR);
	assert_true(retransfers_is_watched(retransfers, &zone, &server));
	retransfers_watch(retransfers, &other, &server, 30 * MINUTE + HOUR + 1);
	assert_false(retransfers_is_watched(retransfers, &zone, &server));
	assert_true(retransfers_is_watched(retransfers, &other, &server));
	retransfers_free(&retransfers);
}

static void the_oldest_is_dropped(void **state)
{
	struct retransfers *retransfers = retransfers_new(1);
	const struct address server = address_of("192.0.2.1");
	char text[32];

	(void)state;
	for (int i = 0; i <= RETRANSFERS_MAX; i++) {
		snprintf(text, sizeof(text), "h%d.example.", i);
		const struct name zone = name_of(text);

		retransfers_watch(retransfers, &zone, &server, i);
	}
	const struct name first = name_of("h0.example."), second = name_of("h1.example.");

	assert_false(retransfers_is_watched(retransfers, &first, &server));
	assert_true(retransfers_is_watched(retransfers, &second, &server));
	assert_int_equal(retransfers_watched(retransfers), RETRANSFERS_MAX);
	retransfers_free(&retransfers);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(transfers_of_a_watched_zone_count),
		cmocka_unit_test(a_zone_is_watched_for_an_hour),
		cmocka_unit_test(the_oldest_is_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
