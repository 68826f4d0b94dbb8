/*
 * connect_error -- is a failed system call a fault of this host or of the server? If this
 * host has no free descriptor or no right to open a socket, the server is not at fault.
 */
#pragma once

#include "base/err.h"

/* For an errno. ERR_BUSY: this host lacks something; else ERR_UNREACHABLE. */
enum err connect_error(int error);
