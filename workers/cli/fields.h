/*
 * fields -- puts the words of the command line into the reason of a worker. The reason
 * of a worker contains a field of the call ("domain.email: must be ..."), and sometimes
 * the method. The user knows only the command, its options and its arguments, so the
 * client shows "--email: must be ..." instead.
 */
#pragma once

#include "cli.h"

/*
 * Replaces the field at the start of the reason by the option or argument, and METHOD by
 * the command. Does not replace a field that the command does not set, for example a
 * field in the user's file. If the reason says that there is no object with the name in
 * an argument, the function shows this name as the user typed it, without the final dot
 * that the client added.
 */
void fields_show(const struct cli *cli, const char *method, struct why *why);
/*
 * Copies the word for an argument of the command to WORD, for example "DATA" for
 * "[DATA...]". ARGUMENT: the index of the argument.
 */
enum { FIELDS_WORD = 32 };
const char *fields_argument(const struct command *command, int argument,
                            char word[FIELDS_WORD]);
