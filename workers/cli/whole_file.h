/* whole_file -- writes a file that appears when it is complete. Until then: PATH.part. */
#pragma once

#include <stdio.h>

#include "base/err.h"

struct whole_file {
	FILE *to;
	const char *path;
	char *part;
};

/* ERR_INTERNAL: the file cannot be written. Do not call whole_file_close() then. */
enum err whole_file_open(struct whole_file *file, const char *path, struct why *why);
/* Reports a failed write. With an ERR the file does not appear, and ERR is returned. */
enum err whole_file_close(struct whole_file *file, enum err err, struct why *why);

/* errno has the reason. */
enum err whole_file_cannot_write(const char *path, struct why *why);
