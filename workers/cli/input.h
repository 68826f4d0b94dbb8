/*
 * input -- reads a file: a path, or "-" for standard input. A child process unpacks a
 * file whose path ends in .xz or .gz. The progress is also known for a packed file,
 * because the child shares the offset of the descriptor.
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
	const char *unpacker;	/* NULL: not packed */
	int fd;			/* its offset is the progress; -1: not known */
	pid_t child;
	int64_t size;		/* bytes on disk; 0: not known */
};

enum err input_open(struct input *input, const char *path, struct why *why);
/* in bytes; compare with `size` */
int64_t input_position(const struct input *input);
/* ERR_INVALID: the unpacker failed. */
enum err input_close(struct input *input, struct why *why);

/* Reads a whole text. ERR_TOO_LARGE: more than 16 MiB. */
enum err input_read(const char *path, struct buf *text, struct why *why);
