#include "backends/connect_error.h"

#include <errno.h>
#include <stddef.h>

static const int lacks[] = {
	EMFILE, ENFILE, ENOMEM, ENOBUFS,	/* limits of the process or the system */
	EACCES, EPERM, EROFS,			/* missing permission */
	ENOSPC, EDQUOT,				/* no space on a disk */
	EADDRNOTAVAIL, EAFNOSUPPORT,		/* missing local address or port */
};

enum err connect_error(int error)
{
	for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++)
		if (lacks[i] == error)
			return ERR_BUSY;
	return ERR_UNREACHABLE;
}
