/*
 * whole_file -- writes a file to PATH.part, and renames this file to PATH when the file
 * is complete. So the file at PATH is always complete.
 */
#pragma once

#include <stdio.h>

#include "base/err.h"

struct whole_file {
	FILE *to;
	const char *path;
	char *part;
};

/*
 * Creates PATH.part. ERR_INVALID: the function cannot create the file, or a command that
 * reads PATH would decompress it (input.h). In this case, do not call whole_file_close().
 */
enum err whole_file_open(struct whole_file *file, const char *path, struct why *why);
/*
 * Closes PATH.part and renames this file to PATH. If ERR is not OK, deletes PATH.part
 * instead and returns ERR. ERR_INVALID: a write or the renaming has failed, and the
 * function has deleted PATH.part.
 */
enum err whole_file_close(struct whole_file *file, enum err err, struct why *why);

/*
 * Reports that the client cannot write PATH. errno must contain the cause. Returns
 * ERR_INVALID. The reason says what the user can do.
 */
enum err whole_file_cannot_write(const char *path, struct why *why);
