/* whole -- writes a file that appears only when it is complete. Until then: PATH.part. */
#pragma once

#include <stdio.h>

#include "base/err.h"

struct whole {
	FILE *to;
	const char *path;
	char *part;
};

/* ERR_INTERNAL: the file cannot be written. Do not call whole_close() then. */
enum err whole_open(struct whole *whole, const char *path, struct why *why);
/* Reports a failed write. With an ERR the file does not appear, and ERR is returned. */
enum err whole_close(struct whole *whole, enum err err, struct why *why);

enum err whole_cannot_write(const char *path, struct why *why);	/* errno has the reason */
