/*
 * command -- runs a program until it ends. It kills the program when the time is over.
 * The program gets no input and a clean environment. command_run() keeps the first 4 KiB
 * of both outputs.
 */
#pragma once

#include "base/err.h"

enum { COMMAND_OUTPUT = 4096 };

struct command {
	int status;			/* exit status; 128 + n after signal n */
	char output[COMMAND_OUTPUT + 1];	/* text; control bytes are spaces */
};

/*
 * argv[0] is searched in the folders of the system. ERR_BUSY: the program cannot run;
 * ERR_TIMEOUT; ERR_UNREACHABLE: the program was killed, because this process could not
 * watch it.
 */
enum err command_run(const char *const *argv, int timeout_ms, struct command *command,
                     struct why *why);
