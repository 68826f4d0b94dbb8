/* help -- what the client can do, in words, from the rows of command.h. */
#pragma once

#include <stdio.h>

#include "cli.h"

/* --help: of the command or the noun whose words were given, or of all. */
enum err help_words(struct cli *cli);
/* Behind a usage error, on standard error: where to read on. */
void help_hint(const struct cli *cli);

void help_man(FILE *to);	/* man.c: the man page */

struct exit_row {
	const char *meaning;
};
extern const struct exit_row exit_rows[EXIT_COUNT];
