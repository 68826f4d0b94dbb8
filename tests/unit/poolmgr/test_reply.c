#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backends/reply.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* As the servers say them: tests/integration/test_drivers.py hears them do so. */
static const struct {
	const char *backend, *command;
	int status;
	const char *said;
	enum reply want;
} cases[] = {
	{ "bind9", "addzone", 0, "rndc: 'addzone' failed: already exists",
	  REPLY_PRESENT },
	{ "bind9", "addzone", 0, "rndc: 'addzone' failed: not found no matching view "
	  "found for 'inside'", REPLY_REFUSED },
	{ "bind9", "delzone", 0, "rndc: 'delzone' failed: not found no matching zone "
	  "'a.example.' in any view", REPLY_ABSENT },
	{ "bind9", "delzone", 0, "rndc: 'delzone' failed: not found no matching view "
	  "'inside'", REPLY_REFUSED },
	{ "bind9", "delzone", 0, "rndc: connect failed: connection refused",
	  REPLY_REFUSED },
	{ "bind9", "showzone", 0, "rndc: 'showzone' failed: not found no matching zone "
	  "'a.example.' in any view", REPLY_ABSENT },
	{ "bind9", "modzone", 0, "rndc: 'modzone' failed: not found", REPLY_REFUSED },
	{ "bind9", "retransfer", 0, "rndc: 'retransfer' failed: not found",
	  REPLY_REFUSED },
	{ "knot", "conf-begin", 0, "too many transactions", REPLY_BUSY },
	{ "knot", "conf-set zone", 0, "duplicate identifier", REPLY_PRESENT },
	{ "knot", "conf-set", 0, "not exists", REPLY_REFUSED },	/* the template */
	{ "knot", "conf-unset", 0, "invalid identifier", REPLY_ABSENT },
	{ "knot", "conf-unset", 0, "not exists", REPLY_ABSENT },
	{ "knot", "conf-unset", 0, "no active transaction", REPLY_REFUSED },
	{ "knot", "conf-read", 0, "invalid identifier", REPLY_ABSENT },
	{ "nsd", "addzone", 0, "zone a.example. already exists", REPLY_PRESENT },
	{ "nsd", "addzone", 0, "error pattern p does not exist", REPLY_REFUSED },
	{ "nsd", "delzone", 0, "warning zone a.example. not present", REPLY_ABSENT },
	{ "nsd", "zonestatus", 0, "error zone a.example. not configured", REPLY_ABSENT },
	{ "nsd", "force_transfer", 0, "error zone a.example. not configured",
	  REPLY_REFUSED },
	{ "powerdns", "POST", 409, "", REPLY_PRESENT },
	{ "powerdns", "POST", 404, "", REPLY_REFUSED },
	{ "powerdns", "GET", 404, "", REPLY_ABSENT },
	{ "powerdns", "DELETE", 404, "", REPLY_ABSENT },
	{ "powerdns", "PUT", 404, "", REPLY_REFUSED },
	{ "powerdns", "DELETE", 500, "not present", REPLY_REFUSED },
	{ "catalog", "delzone", 0, "not present", REPLY_REFUSED },
};

static void each_has_its_meaning(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(cases); i++) {
		enum reply got = reply_of(cases[i].backend, cases[i].command,
		                          cases[i].status, cases[i].said);

		if (got != cases[i].want)
			fail_msg("%s %s \"%s\" %d: %d, not %d", cases[i].backend,
			         cases[i].command, cases[i].said, cases[i].status, got,
			         cases[i].want);
	}
}

/* As rndc 9.18 says them; "not found" of a host is no word on a zone. */
static void rndc_tells_its_own_trouble_from_nameds(void **unused)
{
	static const struct {
		const char *said;
		enum err want;
	} rows[] = {
		{ "rndc: 'addzone' failed: already exists", ERR_REMOTE },
		{ "rndc: 'showzone' failed: not found no matching zone", ERR_REMOTE },
		{ "rndc: connect failed: 127.0.0.1#953: connection refused",
		  ERR_UNREACHABLE },
		{ "rndc: connect failed: 2001:db8::1#953: host unreachable",
		  ERR_UNREACHABLE },
		{ "rndc: recv failed: connection reset", ERR_UNREACHABLE },
		{ "rndc: recv failed: timed out", ERR_UNREACHABLE },
		{ "rndc: parse message: unexpected end of input", ERR_UNREACHABLE },
		{ "rndc: connection to remote host closed. * This may indicate that",
		  ERR_UNREACHABLE },
		{ "rndc: neither /etc/bind/rndc.conf nor /k was found", ERR_BUSY },
		{ "rndc: error: /k:1: unknown option 'a' rndc: could not load rndc "
		  "configuration", ERR_BUSY },
		{ "rndc: couldn't get address for 'ns1.invalid': not found", ERR_BUSY },
		{ "", ERR_BUSY },
	};

	(void)unused;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(reply_rndc_error(rows[i].said), rows[i].want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_its_meaning),
		cmocka_unit_test(rndc_tells_its_own_trouble_from_nameds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
