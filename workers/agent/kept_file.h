/*
 * kept_file -- writes a file that another program (the reader) reads. The agent replaces
 * the file only if the content changes. It replaces the whole file in one step, so the
 * reader always finds a complete file. All users may read the file: its mode is 0644,
 * whatever the umask is.
 *
 * The reader must get a signal after each change, but the agent may end before it sends
 * the signal. So before the agent replaces the file, it creates an empty flag file in the
 * same directory. The agent deletes the flag file when the reader has received the
 * signal. If the flag file exists when an agent starts, the agent sends the signal
 * (signaller.h).
 *
 * The functions block: call them on a lane (runtime/offload.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * Sets the content of the file NAME in FOLDER to TEXT. IS_NEW gets false if the file
 * already has this content and the mode 0644. Otherwise IS_NEW gets true, and the
 * function replaces the file. MARK is the name of the flag file. ERR_UNREACHABLE: the
 * function cannot write the new file, for example because the disk is full. The old file
 * then stays.
 */
enum err kept_file_write(const char *folder, const char *name, const char *mark,
                         const void *text, size_t len, bool *is_new, struct why *why);
/* True: FOLDER contains a regular file with this name. */
bool kept_file_is_there(const char *folder, const char *name);
