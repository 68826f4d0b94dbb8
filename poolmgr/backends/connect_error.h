/*
 * connect_error -- decides whether a failed system call is a fault of this host or of the
 * server. If this host has no free descriptor or may not open a socket, the server is not
 * at fault.
 */
#pragma once

#include "base/err.h"

/* The error for an errno. ERR_BUSY: a fault of this host; otherwise ERR_UNREACHABLE. */
enum err connect_error(int error);
