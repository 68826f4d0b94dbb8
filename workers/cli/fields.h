/*
 * fields -- puts the words of the command line into the reason of a worker. The reason of
 * a worker contains a field of the call ("domain.email: must be ..."), and sometimes the
 * method. The user has typed an option, an argument and a command instead: "--email: must
 * be ...".
 */
#pragma once

#include "cli.h"

/*
 * Replaces the field at the start of *why, and METHOD, by words of the command line. Does
 * not replace a field that the command does not set, for example a field in the user's
 * file. If *why says that there is no object with the name in an argument, shows the name
 * as the user typed it, without the final dot that the client added.
 */
void fields_show(const struct cli *cli, const char *method, struct why *why);
/*
 * Copies the word of an argument of the command to WORD, for example "DATA" of
 * "[DATA...]".
 */
enum { FIELDS_WORD = 32 };
const char *fields_argument(const struct command *command, int argument,
                            char word[FIELDS_WORD]);
