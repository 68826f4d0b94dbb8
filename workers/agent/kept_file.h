/*
 * kept_file -- writes a file that another program reads. It replaces the whole file, and
 * only if the content changes, so no reader ever sees half a file. All users may read
 * it: its mode is 0644, whatever the umask is.
 *
 * Its reader must get a signal after each change, but the agent may end before it sends
 * the signal. So a mark, an empty file beside the kept file, exists from before the
 * replacement until the reader got the signal (signaller.h).
 *
 * The functions block: call them on a lane (runtime/offload.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * Sets the content of the file NAME in FOLDER to TEXT. *is_new: the content has changed.
 * MARK: name of the mark, in the same folder. ERR_UNREACHABLE: the disk or the
 * permissions do not allow it; the old file stays.
 */
enum err kept_file_write(const char *folder, const char *name, const char *mark,
                         const void *text, size_t len, bool *is_new, struct why *why);
/* True: a regular file with this name exists. */
bool kept_file_is_there(const char *folder, const char *name);
