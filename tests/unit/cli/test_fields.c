#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* cmocka has one; ours is in base/err.h */

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "fields.h"

enum { WORDS_MAX = 12 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void parse(struct cli *cli, const char *const *words)
{
	static char *argv[WORDS_MAX];
	int argc = 0;

	*cli = (struct cli){ 0 };
	argv[argc++] = (char *)"zonefleet";
	for (; *words; words++)
		argv[argc++] = (char *)*words;
	argv[argc] = NULL;
	assert_int_equal(command_parse(cli, argc, argv), OK);
}

/* What a worker says, and what the user reads, who knows only the command line. */
static void words_of_the_user(void **state)
{
	static const struct {
		const char *words[WORDS_MAX], *reason, *want;
	} cases[] = {
		{ { "domain", "create", "a.org", "--email", "x" },
		  "domain.email: is wrong", "--email: is wrong" },
		{ { "domain", "create", "a.org" },
		  "domain.name: is wrong", "NAME: is wrong" },
		{ { "domain", "create", "a.org" },
		  "domain.ns: is missing", "--ns: is missing" },
		{ { "domain", "list", "--sort", "x" },
		  "sort_key: is wrong", "--sort: is wrong" },
		{ { "domain", "list", "a*" },
		  "criterion.name: is wrong", "PATTERN: is wrong" },
		{ { "pool", "create", "p", "--ns", "a,b" },
		  "pool.ns_records[1]: is wrong", "--ns: is wrong" },
		{ { "pool", "create", "p" }, "pool.name: is wrong", "POOL: is wrong" },
		{ { "record", "add", "a.org", "w", "A", "1" },
		  "changes[0].records[1]: is wrong", "value 2: is wrong" },
		{ { "record", "add", "a.org", "w", "A", "1" },
		  "changes[0]: w has a CNAME", "w has a CNAME" },
		{ { "record", "apply", "a.org", "f" },
		  "changes[1].records[0]: is wrong", "changes[1].records[0]: is wrong" },
		{ { "port", "create", "n", "1.1.1.300", "--mac", "x" },
		  "port.fixed_ips.ip_address: is wrong", "ADDRESS: is wrong" },
		{ { "port", "create", "n", "1.1.1.1", "--mac", "x" },
		  "port.mac_address: is wrong", "--mac: is wrong" },
		{ { "network", "set", "n", "d" }, "network.id: is wrong",
		  "NETWORK: is wrong" },
		{ { "router", "set", "r", "1.1.1.300" },
		  "values.addresses.address: is wrong", "ADDRESS: is wrong" },
		{ { "route", "create", "a/b" },
		  "route.namespace: is wrong", "NAMESPACE/NAME: is wrong" },
		{ { "route", "set", "a/b", "--label", "a=b" },
		  "values.labels.a: is wrong", "--label: is wrong" },
		{ { "quota", "set", "t", "domains", "1", "--tenant", "x" },
		  "tenant: is wrong", "TENANT: is wrong" },
		{ { "owner", "adopt", "s", "z", "w", "A", "1" },
		  "name: is wrong", "NAME: is wrong" },
		{ { "owner", "adopt", "s", "z", "--wanted", "--name", "w" },
		  "selector.name: is wrong", "--name: is wrong" },
		{ { "tsigkey", "show", "Xfr" }, "there is no TSIG key 'xfr.'",
		  "there is no TSIG key 'Xfr'" },
		{ { "tsigkey", "show", "xfr." }, "there is no TSIG key 'xfr.'",
		  "there is no TSIG key 'xfr.'" },
		{ { "record", "list", "a.org", "w" },
		  "there is no domain 'a.org.': x", "there is no domain 'a.org': x" },
		/* not a field that the command sets */
		{ { "pool", "list" }, "pool.name: is wrong", "pool.name: is wrong" },
		{ { "status" }, "nsd: no answer", "nsd: no answer" },
		{ { "pool", "set", "p", "--ns", "a" },
		  "only administrators may call METHOD",
		  "only administrators may call 'pool set'" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct why why;
		struct cli cli;

		parse(&cli, cases[i].words);
		snprintf(why.text, sizeof(why.text), "%s", cases[i].reason);
		fields_show(&cli, "METHOD", &why);
		assert_string_equal(why.text, cases[i].want);
		command_clear(&cli);
	}
}

/* Each argument that a command needs has a word. */
static void arguments(void **state)
{
	char word[FIELDS_WORD];

	(void)state;
	for (const struct command *row = commands; row->words; row++)
		for (int i = 0; i < row->min; i++)
			assert_true(*fields_argument(row, i, word));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_the_user),
		cmocka_unit_test(arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
