/*
 * lack -- does a system call that failed speak of this host, or of the server? A host that
 * has no descriptor left, or a program that may not open a socket, says nothing of it.
 */
#pragma once

#include "base/err.h"

/* Of an errno: ERR_BUSY, this host lacks something; or ERR_UNREACHABLE. */
enum err connect_error(int error);
