/*
 * input -- reads a file, or standard input if the path is "-". If the path ends in .xz
 * or .gz, a child process decompresses the file. The client can also show the progress
 * in a compressed file, because the client and the child process share the file offset.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct input {
	FILE *file;		/* stream of the text, after decompression */
	const char *path;
	const char *unpacker;	/* program that decompresses; NULL: not compressed */
	int fd;			/* descriptor of the file at PATH; -1: standard input */
	pid_t child;
	int64_t size;		/* size of the file at PATH in bytes; 0: unknown */
};

/* Returns the program that decompresses PATH; NULL: input_open() does not decompress. */
const char *input_unpacker(const char *path);
enum err input_open(struct input *input, const char *path, struct why *why);
/*
 * Returns how many bytes of the file the client or the child process has read. 0: `size`
 * is unknown.
 */
int64_t input_position(const struct input *input);
/* Closes the file. ERR_INVALID: the child process could not decompress the file. */
enum err input_close(struct input *input, struct why *why);

/*
 * Appends the whole text of a file to TEXT. ERR_TOO_LARGE: the text, after
 * decompression, has more than 16 MiB.
 */
enum err input_read(const char *path, struct buf *text, struct why *why);
