/*
 * option_file -- reads a settings file, or a file that contains a secret. This module
 * reads only regular files, up to a size limit. It refuses a file that contains a secret
 * if other users can read this file.
 */
#pragma once

#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"

/* Reads the whole file PATH and its mode. ERR_NOT_FOUND, ERR_TOO_LARGE, ERR_INVALID. */
enum err option_file_read(const char *path, size_t limit, struct buf *text, mode_t *mode,
			  struct why *why);
/*
 * Reads a secret. ERR_INVALID: other users can read the file. Removes the newline at the
 * end.
 */
enum err option_file_secret(const char *path, struct buf *text, struct why *why);
