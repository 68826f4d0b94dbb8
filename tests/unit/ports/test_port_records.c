#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/port_records.h"
#include "model/rr.h"

static struct arena *arena;

static int begin(void **state)
{
	(void)state;
	arena = arena_new();
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static struct name name_of(const char *text)
{
	struct name name = { 0 };
	struct why why;

	if (*text)
		assert_int_equal(name_parse(text, "name", &name, &why), OK);
	return name;
}

/* "zone name type data" of each. */
static size_t records_in(const char *domain, const char *own, const char *fqdn,
                         const char *const *hosts, char lines[16][512])
{
	const struct port_network network = { name_of(domain), 24, 64 };
	struct address addresses[8];
	struct port_names port = { name_of(fqdn), name_of(own), addresses, 0 };
	struct port_record *records;
	size_t count;

	for (; hosts[port.count]; port.count++)
		assert_true(address_parse(hosts[port.count], 0, &addresses[port.count]));
	count = port_records(&network, &port, arena, &records);
	for (size_t i = 0; i < count; i++) {
		snprintf(lines[i], 512, "%s %s %d %s", records[i].zone, records[i].name,
		         records[i].type, records[i].data);
		assert_int_equal(records[i].owner == ZONE_REVERSE,
		                 records[i].type == RR_PTR);
		assert_int_equal(records[i].owner == ZONE_OF_PORT,
		                 *own && !strcmp(records[i].zone, own));
	}
	return count;
}

static size_t records_of(const char *domain, const char *fqdn, const char *const *hosts,
                         char lines[16][512])
{
	return records_in(domain, "", fqdn, hosts, lines);
}

#define HOSTS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void with_a_name(void **state)
{
	char lines[16][512];

	(void)state;
	assert_int_equal(records_of("example.com.", "name.example.com.",
	                            HOSTS("10.224.36.4", "fd5d:19f:52e9::2"), lines), 6);
	assert_string_equal(lines[0], "example.com. host-10-224-36-4.example.com. 1 "
	                              "10.224.36.4");
	assert_string_equal(lines[1], "example.com. name.example.com. 1 10.224.36.4");
	assert_string_equal(lines[2], "36.224.10.in-addr.arpa. 4.36.224.10.in-addr.arpa. "
	                              "12 name.example.com.");
	assert_string_equal(lines[3], "example.com. host-fd5d-19f-52e9--2.example.com. "
	                              "28 fd5d:19f:52e9::2");
	assert_string_equal(lines[4], "example.com. name.example.com. 28 "
	                              "fd5d:19f:52e9::2");
	assert_non_null(strstr(lines[5], " 12 name.example.com."));
}

static void without(void **state)
{
	char lines[16][512];

	(void)state;
	assert_int_equal(records_of("example.com.", "", HOSTS("10.224.36.4"), lines), 2);
	assert_string_equal(lines[1], "36.224.10.in-addr.arpa. 4.36.224.10.in-addr.arpa. "
	                              "12 host-10-224-36-4.example.com.");
}

/* Somebody calls it what it is called in any case. */
static void the_generated_name(void **state)
{
	char lines[16][512];

	(void)state;
	assert_int_equal(records_of("example.com.", "host-10-0-0-1.example.com.",
	                            HOSTS("10.0.0.1"), lines), 2);
}

static void nothing(void **state)
{
	char lines[16][512];

	(void)state;
	assert_int_equal(records_of("", "", HOSTS("10.0.0.1"), lines), 0);
	assert_int_equal(records_of("example.com.", "a.example.com.",
	                            (const char *const[]){ NULL }, lines), 0);
}

/* One address after another: the name has those that are published. */
static void of_subnets(void **state)
{
	struct address addresses[2];
	struct subnet list = { .is_published = false };
	const struct port_network network = { name_of("example.com."), 24, 64,
	                                      { &list, 1, false } };
	const struct port_names port = { name_of("a.example.com."), name_of(""),
	                                 addresses, 2 };
	struct port_record *records;

	(void)state;
	assert_true(address_parse("10.0.0.1", 0, &addresses[0]));
	assert_true(address_parse("10.0.1.1", 0, &addresses[1]));
	assert_true(prefix_parse("10.0.0.0/24", &list.cidr));
	assert_int_equal(port_records(&network, &port, arena, &records), 3);
	for (size_t i = 0; i < 3; i++)
		assert_null(strstr(records[i].name, "10-0-0-1"));
	assert_string_equal(records[1].name, "a.example.com.");
	assert_string_equal(records[1].data, "10.0.1.1");
	assert_string_equal(records[2].name, "1.1.0.10.in-addr.arpa.");
	list.is_published = true;
	assert_int_equal(port_records(&network, &port, arena, &records), 6);
}

static void a_domain_of_its_own(void **state)
{
	char lines[16][512];

	(void)state;
	assert_int_equal(records_in("example.com.", "other.org.", "name.other.org.",
	                            HOSTS("10.0.0.1"), lines), 3);
	assert_string_equal(lines[0],
	                    "example.com. host-10-0-0-1.example.com. 1 10.0.0.1");
	assert_string_equal(lines[1], "other.org. name.other.org. 1 10.0.0.1");
	assert_string_equal(lines[2], "0.0.10.in-addr.arpa. 1.0.0.10.in-addr.arpa. 12 "
	                              "name.other.org.");
	assert_int_equal(records_in("", "other.org.", "name.other.org.",
	                            HOSTS("10.0.0.1"), lines), 2);
	assert_int_equal(records_in("", "other.org.", "", HOSTS("10.0.0.1"), lines), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(with_a_name, begin, end),
		cmocka_unit_test_setup_teardown(without, begin, end),
		cmocka_unit_test_setup_teardown(the_generated_name, begin, end),
		cmocka_unit_test_setup_teardown(nothing, begin, end),
		cmocka_unit_test_setup_teardown(a_domain_of_its_own, begin, end),
		cmocka_unit_test_setup_teardown(of_subnets, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
