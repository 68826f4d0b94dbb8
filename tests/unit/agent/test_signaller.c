#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "agent/signaller.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void pids(void **state)
{
	static const struct {
		const char *text;
		int want;
	} rows[] = {
		{ "1234\n", 1234 }, { "1234", 1234 }, { "2", 2 },
		{ "4194303\n", 4194303 },
		{ "", 0 }, { "\n", 0 }, { "0\n", 0 }, { "1\n", 0 }, { "-5\n", 0 },
		{ " 12\n", 0 }, { "12 \n", 0 }, { "12\n\n", 0 }, { "0x12", 0 },
		{ "12\n34\n", 0 }, { "4294967297\n", 0 }, { "99999999999999999999", 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(signaller_pid(rows[i].text, strlen(rows[i].text)),
		                 rows[i].want);
}

static void beginnings(void **state)
{
	static const struct {
		const char *stat;
		int64_t want;
	} rows[] = {
		{ "7 (haproxy) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 1234 9 9",
		  12340 },
		{ "7 (a) b) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 0 9", 0 },
		{ "7 (haproxy) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0", -1 },
		{ "7 (haproxy) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 -5", -1 },
		{ "7 (haproxy", -1 }, { "7 (haproxy)", -1 }, { "7 (haproxy) ", -1 },
		{ "", -1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(signaller_began_ms(rows[i].stat), rows[i].want);
}

#define STATUS(pending, shared, blocked) \
	"Name:\thaproxy\nSigQ:\t0/7\nSigPnd:\t" pending "\nShdPnd:\t" shared \
	"\nSigBlk:\t" blocked "\nSigIgn:\t0000000000001800\nSigCgt:\t0000000000000800\n"

/* 12 is SIGUSR2: 0x800. */
static void signals(void **state)
{
	static const struct {
		const char *status;
		bool has_taken, is_awaiting;
	} rows[] = {
		{ STATUS("0000000000000000", "0000000000000000", "0000000000000000"),
		  true, false },
		{ STATUS("0000000000000800", "0000000000000000", "0000000000000000"),
		  false, true },
		{ STATUS("0000000000000000", "0000000000000800", "0000000000000000"),
		  false, true },
		{ STATUS("0000000000000000", "0000000000000000", "0000000000000a02"),
		  false, false },
		{ STATUS("0000000000000000", "0000000000000200", "0000000000000200"),
		  true, true },
		{ STATUS("8000000000000000", "0000000000000000", "fffffffffffff7ff"),
		  true, true },
		{ "", true, false }, { "SigPnd:", true, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(signaller_has_taken(rows[i].status, 12),
		                 rows[i].has_taken);
		assert_int_equal(signaller_is_awaiting(rows[i].status),
		                 rows[i].is_awaiting);
	}
}

/* A "|" ends an argument, as a zero does in /proc. */
static void command_lines(void **state)
{
	static const struct {
		const char *line;
		bool want;
	} rows[] = {
		{ "dnsmasq|--addn-hosts=/n/a/addn_hosts|", true },
		{ "/usr/sbin/dnsmasq|-k|--pid-file=/n/a/pid|", true },
		{ "dnsmasq|--addn-hosts|/n/a/addn_hosts|", true },
		{ "dnsmasq|--dhcp-hostsdir=/n/a|", true },
		{ "dnsmasq|/n/ab|--x=/n/a/x|", true },
		{ "dnsmasq|-H/n/a/addn_hosts|", true },
		{ "dnsmasq|-Hx/n/a/addn_hosts|", false },
		{ "dnsmasq|--addn-hosts=/n/ab/addn_hosts|", false },
		{ "dnsmasq|--addn-hosts=/x/n/a/addn_hosts|", false },
		{ "dnsmasq|-k|", false },
		{ "dnsmasq|", false },
		{ "/n/a/dnsmasq|", false },
		{ "tail|-f|/n/a/addn_hosts|", false },
		{ "mydnsmasq|--addn-hosts=/n/a/addn_hosts|", false },
		{ "dnsmasq-wrapper|--addn-hosts=/n/a/addn_hosts|", false },
		{ "sh|dnsmasq|/n/a/|", false },
		{ "dnsmasq|--addn-hosts=/n/a/addn_hosts", false },	/* cut off */
		{ "|/n/a|", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char line[128];
		size_t len = strlen(rows[i].line);

		for (size_t at = 0; at < len; at++)
			line[at] = rows[i].line[at] == '|' ? '\0' : rows[i].line[at];
		if (signaller_is_of(line, len, "dnsmasq", "/n/a") != rows[i].want)
			fail_msg("%s", rows[i].line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pids),
		cmocka_unit_test(beginnings),
		cmocka_unit_test(signals),
		cmocka_unit_test(command_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
