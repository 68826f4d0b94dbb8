/* help -- what the client can do, in words, from the rows of command.h. */
#pragma once

#include <stdio.h>

#include "cli.h"

/* --help: of the command or the noun whose words were given, or of all. */
enum err help_words(struct cli *cli);
/* Behind a usage error, on standard error: where to read on. */
void help_hint(const struct cli *cli);

void help_man(FILE *to);	/* man.c: the man page */

/* The headings of the overview, and the first words of the commands below each. */
enum { HELP_NOUNS_MAX = 8 };
struct help_group {
	const char *title;		/* NULL ends the table */
	const char *nouns[HELP_NOUNS_MAX];	/* then NULL */
};
extern const struct help_group help_groups[];

struct exit_row {
	const char *meaning;
};
extern const struct exit_row exit_rows[EXIT_COUNT];
