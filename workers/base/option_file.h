/*
 * option_file -- reads a settings file, or a file that contains a secret. This module
 * reads only regular files, up to a size limit. option_file_secret() refuses a file to
 * which the group or other users have any right.
 */
#pragma once

#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Appends the whole file PATH to TEXT, and writes the mode of the file to MODE.
 * ERR_NOT_FOUND: the file does not exist. ERR_TOO_LARGE: the file has more than LIMIT
 * bytes. ERR_INVALID: the file is not readable, is not a regular file, or contains a NUL
 * byte. ERR_BUSY: no file descriptor is free.
 */
enum err option_file_read(const char *path, size_t limit, struct buf *text, mode_t *mode,
			  struct why *why);
/*
 * Appends the secret in the file PATH to TEXT, without the newline at its end. The
 * errors are those of option_file_read(), with a limit of 4096 bytes.
 * option_file_secret() also returns ERR_INVALID if the group or other users have any
 * right to the file.
 */
enum err option_file_secret(const char *path, struct buf *text, struct why *why);
