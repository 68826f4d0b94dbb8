/*
 * input -- a file to be read: a path, "-" for standard input, and what ends in
 * .xz or .gz through its unpacker, a child process. Tells how far the reading
 * is, also of a packed file: the child shares the descriptor's offset.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct input {
	FILE *file;		/* to read from */
	const char *path;
	const char *unpacker;	/* NULL: none */
	int fd;			/* whose offset tells the progress; -1: none */
	pid_t child;
	int64_t size;		/* bytes on disk; 0: not known */
};

enum err input_open(struct input *input, const char *path, struct why *why);
int64_t input_position(const struct input *input);	/* of size */
/* ERR_INVALID: the unpacker did not like what it read. */
enum err input_close(struct input *input, struct why *why);

/* The whole of a text at once. ERR_TOO_LARGE: of more than 16 MiB. */
enum err input_read(const char *path, struct buf *text, struct why *why);
