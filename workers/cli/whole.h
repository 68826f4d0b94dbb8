/* whole -- a file that appears when it is whole: until then it is PATH.part. */
#pragma once

#include <stdio.h>

#include "base/err.h"

struct whole {
	FILE *to;
	const char *path;
	char *part;
};

/* ERR_INTERNAL: it cannot be written. Then there is nothing to be closed. */
enum err whole_open(struct whole *whole, const char *path, struct why *why);
/* What could not be written is told now. ERR: it is not to appear; that is returned. */
enum err whole_close(struct whole *whole, enum err err, struct why *why);

enum err whole_cannot_write(const char *path, struct why *why);	/* as errno says */
