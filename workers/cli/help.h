/* help -- the texts of --help and of the man page, made from the rows of command.h. */
#pragma once

#include <stdio.h>

#include "cli.h"

/* Prints the help of the command or noun on the command line, or the overview. */
enum err help_words(struct cli *cli);
/* After a usage error: names the help to read, on standard error. */
void help_hint(const struct cli *cli);

void help_man(FILE *to);	/* the man page; in man.c */
/* The texts of all commands, options and exit statuses; in help_json.c. The caller frees. */
json_t *help_json(void);
