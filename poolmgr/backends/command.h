/*
 * command -- runs a program, and kills it if the timeout expires. The program gets no
 * input and a clean environment. command_run() stores the first 4 KiB that the program
 * writes to standard output and standard error, mixed in one text.
 */
#pragma once

#include "base/err.h"

enum { COMMAND_OUTPUT = 4096 };

struct command {
	/* exit status; 128 + n: signal n ended the program */
	int status;
	/* the output as text; bytes that are not printable ASCII become spaces */
	char output[COMMAND_OUTPUT + 1];
};

/*
 * Runs the program argv[0] with the arguments ARGV, and waits for its end. Searches the
 * folders in the PATH of this process for the program. ERR_BUSY: the program cannot run.
 * ERR_TIMEOUT: the timeout expired. ERR_UNREACHABLE: command_run() killed the program,
 * because this process could not watch it.
 */
enum err command_run(const char *const *argv, int timeout_ms, struct command *command,
                     struct why *why);
