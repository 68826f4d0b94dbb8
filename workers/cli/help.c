#include "help.h"

#include <string.h>

#include "command.h"
#include "handlers.h"

enum { WIDTH = 78, INDENT = 2, OPTION_COLUMN = 26, COMMAND_COLUMN = 24 };

/* ---- text ---- */

/* Wraps words into lines. The first begins at COLUMN, the others at INDENT. */
static void help_print_wrapped(const char *text, size_t column, size_t indent)
{
	bool is_first = true;

	while (*(text += strspn(text, " "))) {
		size_t len = strcspn(text, " \n");

		if (!is_first && column + 1 + len > WIDTH) {
			printf("\n%*s", (int)indent, "");
			column = indent;
			is_first = true;
		}
		printf("%s%.*s", is_first ? "" : " ", (int)len, text);
		column += len + !is_first;
		is_first = false;
		text += len;
		if (*text == '\n') {
			printf("\n\n%*s", (int)indent, "");
			column = indent;
			is_first = true;
			text++;
		}
	}
	putchar('\n');
}

static void help_print_pair(const char *left, const char *right, size_t column)
{
	size_t len = strlen(left) + INDENT;

	printf("%*s%s", INDENT, "", left);
	if (len + 1 > column) {
		putchar('\n');
		len = 0;
	}
	printf("%*s", (int)(column - len), "");
	help_print_wrapped(right, column, column);
}

static void help_print_indented(const char *lines)
{
	while (*lines) {
		size_t len = strcspn(lines, "\n");

		printf("    %.*s\n", (int)len, lines);
		lines += len + (lines[len] == '\n');
	}
}

/* ---- rows ---- */

static void help_print_option(const struct option_row *row)
{
	char left[64];

	snprintf(left, sizeof left, "%c%c%c --%s%s%s", row->letter ? '-' : ' ',
	         row->letter ? row->letter : ' ', row->letter ? ',' : ' ', row->name,
	         row->argument ? " " : "", row->argument ? row->argument : "");
	help_print_pair(left, row->help, OPTION_COLUMN);
}

static void help_print_options(option_set options)
{
	for (int i = 0; i < OPT_COUNT; i++)
		if (options & OPT_BIT(i))
			help_print_option(&option_rows[i]);
}

static void help_print_command(const struct command *command)
{
	printf("zonefleet %s%s%s%s\n\n", command->words,
	       command->options ? " [OPTION...]" : "",
	       *command->arguments ? " " : "", command->arguments);
	help_print_wrapped(command->about, 0, 0);
	if (command->options) {
		printf("\nOptions:\n");
		help_print_options(command->options);
	}
	printf("\n'zonefleet help' lists the options that all commands have.\n");
	printf("\n%s\n", strchr(command->examples, '\n') ? "Examples:" : "Example:");
	help_print_indented(command->examples);
}

static void help_print_commands(const char *noun)
{
	for (const struct command *command = commands; command->words; command++)
		if (command_is_below(command, noun))
			help_print_pair(command->words, command->help, COMMAND_COLUMN);
}

static void help_print_noun(const char *noun)
{
	printf("zonefleet %s COMMAND ...\n\n", noun);
	help_print_commands(noun);
	printf("\n'zonefleet help %s COMMAND' explains a command.\n", noun);
}

static void help_print_overview(void)
{
	printf("zonefleet [OPTION...] COMMAND [ARGUMENT...]\n\n"
	       "Creates, changes and shows domains and their records, and shows the\n"
	       "state of the name servers.\n");
	for (size_t i = 0; command_groups[i].title; i++) {
		printf("\n%s:\n", command_groups[i].title);
		for (size_t j = 0; command_groups[i].nouns[j]; j++)
			help_print_commands(command_groups[i].nouns[j]);
	}
	printf("\nOptions of all commands:\n");
	help_print_options(OPT_COMMON);
	printf("\nExit status:\n");
	for (int i = 0; i < EXIT_COUNT; i++)
		printf("  %d  %s\n", i, cli_exit_meanings[i]);
	printf("\n'zonefleet help COMMAND' explains a command with examples. "
	       "For example:\n");
	help_print_indented("zonefleet domain create example.org --wait\n"
	                    "zonefleet record add example.org www A 192.0.2.1 --wait\n"
	                    "zonefleet status example.org");
}

/* ---- entry points ---- */

enum err help_words(struct cli *cli)
{
	int used = 0;
	const struct command *command;

	if (!cli->argc) {
		help_print_overview();
		return OK;
	}
	command = command_find(cli->argv, cli->argc, &used);
	if (command)
		help_print_command(command);
	else if (cli->argc == 1 && command_is_noun(cli->argv[0]))
		help_print_noun(cli->argv[0]);
	else
		return command_fail_unknown(cli);
	return OK;
}

enum err help_command(struct cli *cli)
{
	if (cli_has(cli, OPT_MAN))
		help_man(stdout);
	else if (cli->out.json && !cli->argc)
		cli_answer(cli, help_json());
	else
		return help_words(cli);
	return OK;
}

void help_hint(const struct cli *cli)
{
	const char *words = cli->command ? cli->command->words : "";
	const char *noun = !cli->command && cli->argc && command_is_noun(cli->argv[0])
	                 ? cli->argv[0] : "";

	fprintf(stderr, "Try 'zonefleet help%s%s%s'.\n", *words || *noun ? " " : "",
	        words, noun);
}
