/*
 * option_file -- the text of a settings file, or of a secret beside it. Only
 * regular files are read, up to a limit, and no secret that others can use.
 */
#pragma once

#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"

/* All of PATH, and its mode. ERR_NOT_FOUND, ERR_TOO_LARGE, ERR_INVALID. */
enum err option_file_read(const char *path, size_t limit, struct buf *text, mode_t *mode,
			  struct why *why);
/* Its owner's alone, or ERR_INVALID; without the newline at its end. */
enum err option_file_secret(const char *path, struct buf *text, struct why *why);
