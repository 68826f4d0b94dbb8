/*
 * kept_file -- a file that somebody else's program reads, and that is ours: it is
 * replaced as a whole, so that nobody ever sees half of one, and only if it has to be
 * another. Everyone may read it (0644), whatever our umask.
 *
 * Its reader has to be told of a new file, and who replaces it may end before that: a
 * mark, an empty file beside it, is there from before the file is replaced until its
 * reader was told (signaller.h).
 *
 * These block: call them on a lane (runtime/offload.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * FOLDER's file NAME becomes TEXT, if it is not: then *is_new. MARK: of the same folder.
 * ERR_UNREACHABLE: the disk, or the rights; what was there is there.
 */
enum err kept_file_write(const char *folder, const char *name, const char *mark,
                         const void *text, size_t len, bool *is_new, struct why *why);
/* Is there a regular file of that name? */
bool kept_file_is_there(const char *folder, const char *name);
