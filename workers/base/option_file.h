/*
 * option_file -- reads a settings file, or a file that contains a secret. This module
 * reads only regular files, up to a size limit. It refuses a file that contains a secret
 * if other users can read this file.
 */
#pragma once

#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Reads the whole file PATH and its mode. ERR_NOT_FOUND: the file does not exist.
 * ERR_TOO_LARGE: the file has more than LIMIT bytes. ERR_INVALID: the file is not
 * readable, is not a regular file, or contains a NUL byte. ERR_BUSY: no file descriptor
 * is free.
 */
enum err option_file_read(const char *path, size_t limit, struct buf *text, mode_t *mode,
			  struct why *why);
/*
 * Reads the secret in the file PATH, and removes the newline at its end. The errors are
 * those of option_file_read(). ERR_INVALID: also if other users can read the file.
 */
enum err option_file_secret(const char *path, struct buf *text, struct why *why);
