/*
 * command -- run a program to its end, or to the deadline's: then it is
 * killed. It gets no input and a clean environment; what it says on both
 * outputs is captured, the first 4 KiB of it.
 */
#pragma once

#include "base/err.h"

enum { COMMAND_OUTPUT = 4096 };

struct command {
	int status;			/* exit status; 128 + n when signal n ended it */
	char output[COMMAND_OUTPUT + 1];	/* text; control bytes are spaces */
};

/*
 * argv[0] is found in the system's folders. ERR_BUSY: cannot run; ERR_TIMEOUT; and
 * ERR_UNREACHABLE: it ran, and was killed, for nothing could tell of its end.
 */
enum err command_run(const char *const *argv, int timeout_ms, struct command *command,
                     struct why *why);
