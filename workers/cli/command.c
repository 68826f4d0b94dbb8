#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "idn.h"

const struct command_group command_groups[] = {
	{ "Domains and records",
	  { "domain", "record", "share", "transfer", "status", "watch", "sync" } },
	{ "Pools and name servers",
	  { "pool", "server", "servers", "repairs", "tsigkey" } },
	{ "Limits", { "quota", "blacklist", "tld" } },
	{ "Shared zones", { "owner" } },
	{ "Ports", { "network", "subnet", "port" } },
	{ "Routes", { "router", "route" } },
	{ "The fleet", { "workers", "locks", "queues", "dead-letters", "ping", "db" } },
	{ "The client", { "completion", "help" } },
	{ 0 }
};

static int command_count_words(const char *words)
{
	return strchr(words, ' ') ? 2 : 1;
}

static bool command_matches(const struct command *command, char *const *words, int count)
{
	const char *space = strchr(command->words, ' ');
	size_t first = space ? (size_t)(space - command->words) : strlen(command->words);

	if (count < command_count_words(command->words) || strlen(words[0]) != first ||
	    memcmp(words[0], command->words, first) != 0)
		return false;
	return !space || !strcmp(words[1], space + 1);
}

const struct command *command_find(char *const *words, int count, int *used)
{
	for (const struct command *command = commands; command->words; command++) {
		if (command_matches(command, words, count)) {
			*used = command_count_words(command->words);
			return command;
		}
	}
	return NULL;
}

bool command_is_noun(const char *word)
{
	size_t len = strlen(word);

	for (const struct command *command = commands; command->words; command++)
		if (!strncmp(command->words, word, len) && command->words[len] == ' ')
			return true;
	return false;
}

/* Offers the first words, or the second words of the commands of NOUN. */
static void command_suggest(const char *noun, struct suggest *suggest)
{
	for (const struct command *command = commands; command->words; command++) {
		const char *word = command->words;

		if (noun && !command_is_below(command, noun))
			continue;
		if (noun)
			word = strchr(word, ' ') + 1;
		suggest_offer(suggest, word, strcspn(word, " "));
	}
}

enum err command_fail_unknown(struct cli *cli)
{
	const char *noun = command_is_noun(cli->argv[0]) ? cli->argv[0] : NULL;
	const char *word = noun ? cli->argv[1] : cli->argv[0];
	struct suggest suggest = suggest_for(word ? word : "");
	char meant[SUGGEST_TEXT];

	cli->command = NULL;	/* 'help record ad' is about record, not about help */
	if (!word)
		return cli_usage(cli, "'%s' needs a command", noun);
	command_suggest(noun, &suggest);
	if (noun)
		return cli_usage(cli, "%s has no command '%.100s'%s", noun, word,
		                 suggest_text(&suggest, "", meant));
	return cli_usage(cli, "there is no command '%.100s'%s", word,
	                 suggest_text(&suggest, "", meant));
}

static enum err command_check_options(struct cli *cli)
{
	for (int i = OPT_COMMON_COUNT; i < OPT_COUNT; i++)
		if (cli_has(cli, i) && !(cli->command->options & OPT_BIT(i)))
			return cli_usage(cli, "%s does not accept --%s",
			                 cli->command->words, option_rows[i].name);
	return OK;
}

static enum err command_convert_name(struct cli *cli, enum cli_option option)
{
	struct buf ascii = { 0 };
	char field[32];
	struct why why;
	enum err err;

	snprintf(field, sizeof field, "--%s", option_rows[option].name);
	err = idn_to_ascii(cli->option[option], field, &ascii, &why);
	if (err)
		cli_usage(cli, "%s", why.text);
	else
		cli->option[option] = cli->ascii[option] = xstrdup(buf_string(&ascii));
	buf_clear(&ascii);
	return err ? ERR_ARGUMENTS : OK;
}

/* Options with names get them in ASCII, so that no command has to think of it. */
static enum err command_convert_names(struct cli *cli)
{
	enum err err = OK;

	for (int i = 0; i < OPT_COUNT && !err; i++)
		if (option_rows[i].is_name && cli_has(cli, i))
			err = command_convert_name(cli, i);
	return err;
}

void command_clear(struct cli *cli)
{
	for (int i = 0; i < OPT_COUNT; i++)
		free(cli->ascii[i]);
	free(cli->reason);
}

static enum err command_check_arguments(struct cli *cli)
{
	const struct command *command = cli->command;

	if (cli->argc < command->min)
		return cli_usage(cli, "%s needs %s", command->words, command->arguments);
	if (command->max >= 0 && cli->argc > command->max)
		return cli_usage(cli, "%s: unexpected argument '%.100s': the command "
		                 "accepts %s", command->words, cli->argv[command->max],
		                 *command->arguments ? command->arguments
		                                     : "no argument");
	return OK;
}

static enum err command_choose(struct cli *cli)
{
	int used = 0;

	if (!cli->argc)
		return OK;
	cli->command = command_find(cli->argv, cli->argc, &used);
	if (cli_has(cli, OPT_HELP))
		return OK;	/* help.c reads the words itself */
	if (!cli->command)
		return command_fail_unknown(cli);
	cli->argc -= used;
	cli->argv += used;
	return OK;
}

/* JSON takes UTF-8 only, and jansson would leave other text out. */
static enum err command_check_text(struct cli *cli, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		json_t *text = json_string(argv[i]);

		if (!text)
			return cli_usage(cli, "the argument '%.100s' is not UTF-8",
			                 argv[i]);
		json_decref(text);
	}
	return OK;
}

enum err command_parse(struct cli *cli, int argc, char **argv)
{
	char wrong[256];
	int first, used;
	enum err err = command_check_text(cli, argc, argv);
	bool is_good = options_scan(argc, argv, cli->option, &first, wrong);

	cli->out.json = cli_has(cli, OPT_JSON);
	cli->out.quiet = cli_has(cli, OPT_QUIET);
	if (err)
		return err;
	cli->argc = argc - first;
	cli->argv = argv + first;
	if (!is_good) {
		cli->command = command_find(cli->argv, cli->argc, &used);
		return cli_usage(cli, "%s", wrong);
	}
	err = command_choose(cli);
	if (err || !cli->command || cli_has(cli, OPT_HELP))
		return err;
	err = command_check_options(cli);
	if (!err)
		err = command_check_arguments(cli);
	return err ? err : command_convert_names(cli);
}

bool command_is_below(const struct command *command, const char *noun)
{
	size_t len = strlen(noun);

	return !strncmp(command->words, noun, len) &&
	       (command->words[len] == ' ' || !command->words[len]);
}
