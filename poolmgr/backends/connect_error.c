#include "backends/connect_error.h"

#include <errno.h>
#include <stddef.h>

static const int lacks[] = {
	EMFILE, ENFILE, ENOMEM, ENOBUFS,	/* of the process, and of the system */
	EACCES, EPERM,				/* a right */
	EADDRNOTAVAIL, EAFNOSUPPORT,		/* an address or a port of our own */
};

enum err connect_error(int error)
{
	for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++)
		if (lacks[i] == error)
			return ERR_BUSY;
	return ERR_UNREACHABLE;
}
