/*
 * command -- the table of commands, with a row for each command. Dispatch, --help, the
 * completion and the man page use this table. Its rows are in commands.c, the rows of the
 * options are in options.c.
 */
#pragma once

#include "cli.h"

struct command {
	const char *words;		/* "domain create"; NULL ends the table */
	const char *arguments;		/* "NAME [FILE]" */
	int min, max;			/* number of arguments; max -1: no limit */
	uint64_t options;		/* its own options, without the common ones */
	enum { NEED_NOTHING, NEED_BROKER, NEED_DATABASE } need;
	enum err (*run)(struct cli *cli);
	const char *help;		/* one line */
	const char *about;		/* paragraphs separated by "\n" */
	const char *examples;		/* lines */
};
extern const struct command commands[];

/*
 * Parses the command line into CLI. ERR_ARGUMENTS: cli->why says what is wrong. With
 * --help, --version or no words cli->command may be NULL.
 */
enum err command_parse(struct cli *cli, int argc, char **argv);

/* The command with which the words begin, and its number of words; NULL: unknown. */
const struct command *command_find(char *const *words, int count, int *used);
/* True for the first word of commands with two words ("domain"). */
bool command_is_noun(const char *word);
/* True if the command begins with this word ("domain"). */
bool command_is_below(const struct command *command, const char *noun);

/* The headings of the overview, each with the first words of its commands. */
enum { COMMAND_NOUNS_MAX = 8 };
struct command_group {
	const char *title;		/* NULL ends the table */
	const char *nouns[COMMAND_NOUNS_MAX];	/* ends with NULL */
};
extern const struct command_group command_groups[];
