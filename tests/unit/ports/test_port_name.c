#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/port_name.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define A8 "aaaaaaaa"
#define A63 A8 A8 A8 A8 A8 A8 A8 "aaaaaaa"

/* What a name becomes in example.com.; NULL: it is refused. */
struct row {
	const char *given, *by_rfc1035, *by_rfc1123;
};

#define BOTH(given, fqdn) { given, fqdn, fqdn }
#define NEITHER(given) { given, NULL, NULL }

static const struct row rows[] = {
	/* the table of seed 002 */
	BOTH("vm01", "vm01.example.com."),
	BOTH("vm01.test1", "vm01.test1.example.com."),
	BOTH("vm01.test1.example.com.", "vm01.test1.example.com."),
	NEITHER("vm01.test1.other.com."),
	/* labels: Neutron's own cases */
	BOTH("vM01", "vm01.example.com."),
	BOTH("vm-01.example.com.", "vm-01.example.com."),
	BOTH("vm01.test-100", "vm01.test-100.example.com."),
	BOTH(A63, A63 ".example.com."),
	{ "8vm01", NULL, "8vm01.example.com." },
	{ "1000", NULL, "1000.example.com." },
	{ "www.1000x", NULL, "www.1000x.example.com." },
	{ "www.1000.com", NULL, "www.1000.com.example.com." },
	NEITHER("."), NEITHER("-vm01"), NEITHER("_vm01"), NEITHER("vm01-"),
	NEITHER("-vm01.test1"), NEITHER("vm01.-test1"), NEITHER("vm01._test1"),
	NEITHER("vm01.test1-"), NEITHER("vm01.te$t1"), NEITHER("vm0#1.test1."),
	NEITHER("vm01.123."), NEITHER("vm01.123"), NEITHER("8.1000"), NEITHER("a" A63),
	NEITHER("vm\t01"), NEITHER("v\\0461"),
	/* the shape */
	NEITHER(""), NEITHER(".."), NEITHER("vm01.."), NEITHER(".vm01"),
	NEITHER("a..b"), NEITHER("vm 01"), NEITHER("vm\xc3\xb6"), NEITHER("*"),
	/* the domain itself, and what only looks like it */
	NEITHER("example.com."), NEITHER("com."), NEITHER("badexample.com."),
	BOTH("example.com", "example.com.example.com."),
	BOTH("VM01.EXAMPLE.COM.", "vm01.example.com."),
	/* the whole length */
	BOTH(A63 "." A63 "." A63 "." A8 A8 A8 A8 A8 "aaaaaaaaa",
	     A63 "." A63 "." A63 "." A8 A8 A8 A8 A8 "aaaaaaaaa.example.com."),
	NEITHER(A63 "." A63 "." A63 "." A63),
};

static void check(const char *given, enum label_rules rules, const char *want)
{
	struct name domain, fqdn = { 0 };
	struct why why = { "" };
	char text[NAME_MAX_TEXT + 1];
	enum err err;

	assert_int_equal(name_parse("example.com.", "domain", &domain, &why), OK);
	err = port_fqdn(given, &domain, rules, &fqdn, &why);
	print_message("  \"%s\": %s\n", given, err ? why.text : "taken");
	assert_int_equal(err, want ? OK : ERR_INVALID);
	if (err) {
		assert_int_equal(strncmp(why.text, "dns_name: ", 10), 0);
		return;
	}
	name_format(&fqdn, text);
	assert_string_equal(text, want);
}

static void each_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		check(rows[i].given, LABELS_RFC1035, rows[i].by_rfc1035);
		check(rows[i].given, LABELS_RFC1123, rows[i].by_rfc1123);
	}
}

/* By RFC 952 as RFC 1123 2.1 has it, said in another way. */
static bool is_host_name(const char *text)
{
	size_t label = 0;

	for (size_t i = 0; text[i]; i++) {
		if (text[i] == '.' && (!label || text[i - 1] == '-'))
			return false;
		if (text[i] == '-' && !label)
			return false;
		if (text[i] != '.' && !strchr("abcdefghijklmnopqrstuvwxyz0123456789-",
		                              text[i]))
			return false;
		label = text[i] == '.' ? 0 : label + 1;
		if (label > 63)
			return false;
	}
	return !label;			/* it ends in a dot */
}

static void whatever_comes(void **state)
{
	static const char alphabet[] = "aZ09-._ \\\n\xff" "aaaa....";
	struct name domain, fqdn;
	struct why why;
	size_t taken = 0;

	(void)state;
	srand(1);
	assert_int_equal(name_parse("d.", "domain", &domain, &why), OK);
	for (int i = 0; i < 200000; i++) {
		char given[24] = "", text[NAME_MAX_TEXT + 1];
		size_t len = (size_t)rand() % (sizeof(given) - 1);

		for (size_t at = 0; at < len; at++)
			given[at] = alphabet[(size_t)rand() % (sizeof(alphabet) - 1)];
		if (port_fqdn(given, &domain, LABELS_RFC1123, &fqdn, &why))
			continue;
		taken++;
		name_format(&fqdn, text);
		assert_true(is_host_name(text));
		assert_true(name_is_below(&fqdn, &domain) && !name_equal(&fqdn, &domain));
	}
	assert_true(taken > 1000);
}

static const struct {
	const char *address, *label;
} hosts[] = {
	{ "10.224.36.4", "host-10-224-36-4" },
	{ "fd5d:19f:52e9::2", "host-fd5d-19f-52e9--2" },
	{ "2001:db8::", "host-2001-db8--0" },
	{ "::1", "host---1" },
	{ "::", "host---0" },
	{ "255.255.255.255", "host-255-255-255-255" },
	{ "2001:db8:1111:2222:3333:4444:5555:6666",
	  "host-2001-db8-1111-2222-3333-4444-5555-6666" },
};

static void each_host(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(hosts); i++) {
		char label[HOST_LABEL_MAX + 1];
		struct address address;

		assert_true(address_parse(hosts[i].address, 0, &address));
		host_label(&address, label);
		assert_string_equal(label, hosts[i].label);
	}
}

static void hosts_are_names(void **state)
{
	struct name domain, fqdn;
	struct why why;

	(void)state;
	srand(2);
	assert_int_equal(name_parse("example.com.", "domain", &domain, &why), OK);
	for (int i = 0; i < 20000; i++) {
		struct address address = { .bits = rand() % 2 ? 32 : 128 };
		char label[HOST_LABEL_MAX + 1], text[NAME_MAX_TEXT + 1];

		for (int at = 0; at < address.bits / 8; at++)	/* many zeroes, too */
			address.octets[at] = (uint8_t)(rand() % 3 ? rand() : 0);
		host_label(&address, label);
		assert_int_equal(port_fqdn(label, &domain, LABELS_RFC1035, &fqdn, &why),
		                 OK);
		assert_int_equal(host_fqdn(&address, &domain, &fqdn, &why), OK);
		name_format(&fqdn, text);
		assert_int_equal(strncmp(text, label, strlen(label)), 0);
		assert_string_equal(text + strlen(label), ".example.com.");
	}
}

static void lower(void **state)
{
	char text[PORT_NAME_MAX + 1];

	(void)state;
	port_name_lower("VM01.Example-Z\xc4", text);
	assert_string_equal(text, "vm01.example-z\xc4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_name), cmocka_unit_test(whatever_comes),
		cmocka_unit_test(each_host), cmocka_unit_test(hosts_are_names),
		cmocka_unit_test(lower),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
