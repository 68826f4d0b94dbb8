#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* cmocka has one; ours is in base/err.h */

#include <string.h>

#include "command.h"

enum { HELP_MAX = 54, WORDS_MAX = 12 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ARGV may be permuted: a copy of it, so that a case can be used again. */
static enum err parse(struct cli *cli, const char *const *words)
{
	static char *argv[WORDS_MAX];
	int argc = 0;

	*cli = (struct cli){ 0 };
	argv[argc++] = (char *)"zonefleet";
	for (; *words; words++)
		argv[argc++] = (char *)*words;
	argv[argc] = NULL;
	return command_parse(cli, argc, argv);
}

static void lines(void **state)
{
	static const struct {
		const char *words[WORDS_MAX];
		const char *command;	/* NULL: refused */
		int arguments;
		const char *why;
	} cases[] = {
		{ { "ping" }, "ping", 0, NULL },
		{ { "domain", "create", "a.org" }, "domain create", 1, NULL },
		{ { "--json", "domain", "create", "a.org", "--ttl", "5m" },
		  "domain create", 1, NULL },
		{ { "domain", "create", "--wait", "a.org" }, "domain create", 1, NULL },
		{ { "record", "add", "a.org", "w", "A", "192.0.2.1", "192.0.2.2" },
		  "record add", 5, NULL },
		{ { "record", "add", "a.org", "--", "-w", "TXT", "-x" },
		  "record add", 4, NULL },
		{ { "quota", "set", "t", "domains", "-1", "--json" }, "quota set", 3,
		  NULL },
		{ { "-q", "quota", "set", "-1x", "--", "domains", "-1" }, "quota set", 3,
		  NULL },
		{ { "help", "record", "add" }, "help", 2, NULL },
		{ { "domain", "create" }, NULL, 0, "needs NAME" },
		{ { "domain", "create", "a", "b" }, NULL, 0,
		  "domain create: unexpected argument 'b': the command accepts NAME" },
		{ { "route", "create", "a", "b" }, NULL, 0,
		  "unexpected argument 'b': the command accepts NAMESPACE/NAME" },
		{ { "workers", "x" }, NULL, 0, "the command accepts no argument" },
		{ { "domain" }, NULL, 0, "'domain' needs a command" },
		{ { "domain", "frob" }, NULL, 0, "domain has no command 'frob'" },
		{ { "domain", "lst" }, NULL, 0,
		  "domain has no command 'lst': did you mean 'list'?" },
		{ { "dead-letters", "dorp", "x" }, NULL, 0, "did you mean 'drop'?" },
		{ { "frob" }, NULL, 0, "there is no command 'frob'" },
		{ { "domian", "list" }, NULL, 0,
		  "there is no command 'domian': did you mean 'domain'?" },
		{ { "satus" }, NULL, 0, "did you mean 'status'?" },
		{ { "domain create", "a" }, NULL, 0, "'domain create'" },
		{ { "ping", "--ttl", "5" }, NULL, 0, "ping does not accept --ttl" },
		{ { "ping", "--frob" }, NULL, 0, "there is no option --frob" },
		{ { "ping", "--tll", "5" }, NULL, 0,
		  "there is no option --tll: did you mean '--ttl'?" },
		{ { "ping", "--jsno=5" }, NULL, 0,
		  "there is no option --jsno: did you mean '--json'?" },
		{ { "ping", "--json=1" }, NULL, 0, "--json does not accept a value" },
		{ { "ping", "-Z" }, NULL, 0, "-Z" },
		{ { "record", "add", "a.org", "w", "A", "h\xc3" }, NULL, 0, "not UTF-8" },
		{ { "domain", "set", "a.org", "--email", "\xff" }, NULL, 0, "not UTF-8" },
		{ { "ping", "--timeout" }, NULL, 0, "--timeout needs a value" },
		{ { "ping", "--t", "5" }, NULL, 0,
		  "--t is the beginning of --tenant, --timeout, --ttl, --type" },
		{ { "ping", "--wiat=5" }, NULL, 0, "did you mean '--wait'?" },
		{ { "ping", "--admin", "-wiat" }, NULL, 0,
		  "there is no option -i: did you mean '--wait'?" },
		{ { "ping", "--admin", "-xj" }, NULL, 0, "there is no option -x" },
		{ { "ping", "-qc" }, NULL, 0, "-c needs a value" },
	};
	struct cli cli;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		enum err err = parse(&cli, cases[i].words);

		assert_int_equal(err, cases[i].command ? OK : ERR_ARGUMENTS);
		if (err) {
			assert_non_null(strstr(cli.why.text, cases[i].why));
			assert_int_equal(cli.status, EXIT_USAGE);
		} else {
			assert_string_equal(cli.command->words, cases[i].command);
			assert_int_equal(cli.argc, cases[i].arguments);
		}
		command_clear(&cli);
	}
}

/* The hint is about the command, even if an option is wrong. */
static void commands_of_errors(void **state)
{
	static const struct {
		const char *words[WORDS_MAX];
		const char *command;	/* NULL: the command is unknown */
	} cases[] = {
		{ { "record", "add", "--wiat" }, "record add" },
		{ { "--wiat", "ping" },          "ping" },
		{ { "record", "--wiat" },        NULL },
		{ { "record", "ad" },            NULL },
	};
	struct cli cli;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(parse(&cli, cases[i].words), ERR_ARGUMENTS);
		if (cases[i].command)
			assert_string_equal(cli.command->words, cases[i].command);
		else
			assert_null(cli.command);
		command_clear(&cli);
	}
}

static void options_with_names(void **state)
{
	static const char *const good[] = { "domain", "create", "a", "--ns",
		"ns1.bücher.x,ns2.x", "--email", "dns@bücher.x", "--description",
		"bücher", NULL };
	static const char *const bad[] = { "domain", "create", "a", "--primary", "☃.x",
		NULL };
	struct cli cli;

	(void)state;
	assert_int_equal(parse(&cli, good), OK);
	assert_string_equal(cli.option[OPT_NS], "ns1.xn--bcher-kva.x,ns2.x");
	assert_string_equal(cli.option[OPT_EMAIL], "dns@xn--bcher-kva.x");
	assert_string_equal(cli.option[OPT_DESCRIPTION], "bücher");
	command_clear(&cli);
	assert_int_equal(parse(&cli, bad), ERR_ARGUMENTS);
	assert_int_equal(cli.status, EXIT_USAGE);
	assert_non_null(strstr(cli.why.text, "--primary: '☃' is not valid"));
	command_clear(&cli);
}

/* How an error is to be told is known even if --json stands behind the mistake. */
static void json_behind_a_mistake(void **state)
{
	static const char *const words[] = { "ping", "--frob", "--json", NULL };
	struct cli cli;

	(void)state;
	assert_int_equal(parse(&cli, words), ERR_ARGUMENTS);
	assert_true(cli.out.json);
}

static int upper_words(const char *text)
{
	int count = 0;

	for (const char *at = text; *at; at += strspn(at, " ")) {
		count++;
		at += strcspn(at, " ");
	}
	return count;
}

/* What holds for each row of the table. */
static void rows(void **state)
{
	(void)state;
	for (const struct command *row = commands; row->words; row++) {
		bool is_open = strstr(row->arguments, "...") != NULL;
		char words[64];
		char *split[2] = { words };
		int used = 0, count = 1;

		snprintf(words, sizeof words, "%s", row->words);
		split[1] = strchr(words, ' ');
		if (split[1]) {
			*split[1]++ = '\0';
			count = 2;
		}
		assert_ptr_equal(command_find(split, count, &used), row);
		assert_int_equal(used, count);
		assert_int_equal(command_is_noun(words), count == 2);
		assert_true(strlen(row->help) <= HELP_MAX);
		assert_int_equal(row->about[strlen(row->about) - 1], '.');
		assert_non_null(strstr(row->examples, "zonefleet "));
		assert_true(is_open == (row->max < 0));
		assert_true(is_open || upper_words(row->arguments) <= row->max);
		assert_int_equal(row->options & OPT_COMMON, 0);
		/* --wait has a deadline; watch has one without it */
		assert_true(!(row->options & OPT(WAIT)) ||
		            (row->options & OPT(WAIT_TIMEOUT)));
		assert_non_null(row->run);
	}
}

static void option_rows_are_whole(void **state)
{
	(void)state;
	for (int i = 0; i < OPT_COUNT; i++) {
		assert_non_null(option_rows[i].name);
		assert_non_null(option_rows[i].help);
		for (int j = 0; j < i; j++) {
			assert_string_not_equal(option_rows[i].name, option_rows[j].name);
			assert_true(!option_rows[i].letter ||
			            option_rows[i].letter != option_rows[j].letter);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(commands_of_errors),
		cmocka_unit_test(options_with_names),
		cmocka_unit_test(json_behind_a_mistake),
		cmocka_unit_test(rows),
		cmocka_unit_test(option_rows_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
