/*
 * command -- the table of commands. The client uses the table to find a command and to
 * print --help, the shell completion and the man page. The rows are in commands.c. The
 * rows of the options are in options.c.
 */
#pragma once

#include "cli.h"

struct command {
	/* the words of the command, "domain create"; NULL ends the table */
	const char *words;
	const char *arguments;		/* the arguments as in the help, "NAME [FILE]" */
	/* minimum and maximum number of arguments; max is -1: no maximum */
	int min, max;
	/* the options of the command, without the common options */
	option_set options;
	enum { NEED_NOTHING, NEED_BROKER, NEED_DATABASE } need;
	enum err (*run)(struct cli *cli);
	const char *help;		/* one line that says what the command does */
	/* description of the command: paragraphs, separated by "\n" */
	const char *about;
	const char *examples;		/* lines */
	int timeout_s;	/* default of --timeout; 0: the setting client.timeout */
};
extern const struct command commands[];

/*
 * Parses the command line into CLI. ERR_ARGUMENTS: cli->why contains the reason.
 * cli->command can be NULL if the command line contains --help, --version or no words.
 */
enum err command_parse(struct cli *cli, int argc, char **argv);
/* Frees the memory from command_parse() and from the command. */
void command_clear(struct cli *cli);

/*
 * Finds the command at the start of WORDS, and writes the number of its words to USED.
 * NULL: the command is unknown.
 */
const struct command *command_find(char *const *words, int count, int *used);
/*
 * Fails with a reason such as "domain has no command 'lst': did you mean 'list'?". The
 * words of CLI must not begin with a command.
 */
enum err command_fail_unknown(struct cli *cli);
/* True if WORD is the first word of commands with two words ("domain"). */
bool command_is_noun(const char *word);
/* True if NOUN is the first word of the command. */
bool command_is_below(const struct command *command, const char *noun);

/* A group of commands in the overview: its title, and the first words of its commands. */
enum { COMMAND_NOUNS_MAX = 8 };
struct command_group {
	const char *title;		/* NULL ends the table */
	const char *nouns[COMMAND_NOUNS_MAX];	/* NULL ends the list */
};
extern const struct command_group command_groups[];
