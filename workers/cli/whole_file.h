/*
 * whole_file -- writes a file that appears at PATH only when it is complete. Until the
 * file is complete, its path is PATH.part.
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
 * ERR_INVALID: the function cannot create the file. Then do not call whole_file_close().
 */
enum err whole_file_open(struct whole_file *file, const char *path, struct why *why);
/*
 * Closes the file and reports a failed write. If ERR is not OK, deletes the file and
 * returns ERR.
 */
enum err whole_file_close(struct whole_file *file, enum err err, struct why *why);

/* Returns ERR_INVALID, and *why says what to do. errno contains the cause. */
enum err whole_file_cannot_write(const char *path, struct why *why);
