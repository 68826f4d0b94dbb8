/*
 * connect_error -- decides whether a failed system call is a fault of this host or of
 * the server. For example, this host is at fault if it has no free descriptor or no space
 * on a disk, or if the process has no permission to open a socket or a file.
 */
#pragma once

#include "base/err.h"

/*
 * Returns the error for the errno ERROR. ERR_BUSY: a fault of this host. ERR_UNREACHABLE:
 * any other fault.
 */
enum err connect_error(int error);
