/* help -- makes the texts of --help and of the man page from the table of command.h. */
#pragma once

#include <stdio.h>

#include "cli.h"

/*
 * Prints the help of the command or noun on the command line. Without a command, prints
 * the overview.
 */
enum err help_words(struct cli *cli);
/* After a usage error, writes the command that shows the right help to standard error. */
void help_hint(const struct cli *cli);

void help_man(FILE *to);	/* writes the man page (man.c) */
/*
 * Returns the texts of all commands, options and exit statuses (help_json.c). The caller
 * frees the result.
 */
json_t *help_json(void);
