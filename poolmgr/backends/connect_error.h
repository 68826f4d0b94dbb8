/*
 * connect_error -- decides whether a failed system call is a fault of this host or of
 * the server. If this host has no free descriptor or may not open a socket, this host is
 * at fault.
 */
#pragma once

#include "base/err.h"

/*
 * Returns the error for an errno. ERR_BUSY: a fault of this host. ERR_UNREACHABLE: any
 * other fault.
 */
enum err connect_error(int error);
