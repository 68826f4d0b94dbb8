/*
 * input -- reads a file, or standard input if the path is "-". A child process
 * decompresses a file whose path ends in .xz or .gz. The client can also show the
 * progress of a compressed file, because the client shares the file offset with the child
 * process.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct input {
	FILE *file;		/* stream of the decompressed text */
	const char *path;
	const char *unpacker;	/* program that decompresses; NULL: not compressed */
	int fd;			/* the file offset shows the progress; -1: not known */
	pid_t child;
	int64_t size;		/* size of the file in bytes; 0: not known */
};

enum err input_open(struct input *input, const char *path, struct why *why);
/* Returns the position in bytes, at most `size`. */
int64_t input_position(const struct input *input);
/* ERR_INVALID: the child process failed to decompress the file. */
enum err input_close(struct input *input, struct why *why);

/* Reads a whole text. ERR_TOO_LARGE: more than 16 MiB. */
enum err input_read(const char *path, struct buf *text, struct why *why);
