/*
 * kept_file -- writes a file that another program (the reader) reads. The agent replaces
 * the file only if the content changes. It replaces the whole file in one step, so the
 * reader always finds a complete file. All users may read the file: its mode is always
 * 0644, independent of the umask.
 *
 * The reader must get a signal after each change, but the agent can end before it sends
 * the signal. So before the agent replaces the file, it creates an empty flag file in the
 * same directory. The agent deletes the flag file when the reader needs no signal
 * (signaller.h). If the flag file exists when an agent starts, the agent sends the
 * signal.
 *
 * The functions block: call them on a lane (runtime/offload.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * Sets the content of the file NAME in FOLDER to TEXT. If the file already has this
 * content and the mode 0644, the function sets IS_NEW to false. If not, the function
 * replaces the file and sets IS_NEW to true. MARK is the name of the flag file.
 * ERR_UNREACHABLE: the function cannot write the new file, for example because the disk
 * is full. In this case, the old file stays.
 */
enum err kept_file_write(const char *folder, const char *name, const char *mark,
                         const void *text, size_t len, bool *is_new, struct why *why);
/* True: FOLDER contains a regular file with the name NAME. */
bool kept_file_is_there(const char *folder, const char *name);
