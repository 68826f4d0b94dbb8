/*
 * master_include -- opens the file of $INCLUDE, for master_file.c only. The file must be
 * a regular file below a folder: the kernel refuses a path that leaves the folder, even
 * through a symbolic link (openat2, Linux 5.6).
 */
#pragma once

#include <stdio.h>

#include "base/err.h"

/*
 * Opens the file NAME below the folder with the descriptor FOLDER. The caller closes the
 * file. ERR_INVALID: the reason names the file NAME. The caller adds the place of the
 * directive.
 */
enum err include_open(int folder, const char *name, FILE **file, struct why *why);
/*
 * Returns the path of an included file, for example "zones/sub/inc" for "zones/main.zone"
 * and "sub/inc". The caller frees the path.
 */
char *include_path(const char *main_path, const char *name);
