/*
 * command -- what the client can do: a row a command, from which the dispatch,
 * --help, the completion and the man page are made. The rows are in
 * commands.c, those of the options in options.c.
 */
#pragma once

#include "cli.h"

struct command {
	const char *words;		/* "domain create"; NULL ends the table */
	const char *arguments;		/* "NAME [FILE]" */
	int min, max;			/* how many; max -1: any number */
	uint64_t options;		/* its own, beside the common ones */
	enum { NEED_NOTHING, NEED_BROKER, NEED_DATABASE } need;
	enum err (*run)(struct cli *cli);
	const char *help;		/* one line */
	const char *about;		/* what it does; "\n" between paragraphs */
	const char *examples;		/* lines */
};
extern const struct command commands[];

/*
 * Fills in what was asked for. ERR_ARGUMENTS: cli->why says what is wrong. With --help,
 * --version or no words at all cli->command may be NULL.
 */
enum err command_parse(struct cli *cli, int argc, char **argv);

/* The command of these words, and how many of them are its own; NULL: none. */
const struct command *command_find(char *const *words, int count, int *used);
/* Does any command begin with the word? ("domain") */
bool command_is_noun(const char *word);
