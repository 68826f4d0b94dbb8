/*
 * client_socket -- sockets to a name server: they do not block, and do not go to what we start.
 */
#pragma once

#include <sys/socket.h>

#include "dns/address.h"

/* TYPE: SOCK_DGRAM or SOCK_STREAM. -1: there is none to be had. */
int dial_socket(const struct address *server, int type);
/*
 * FD, on its way to SERVER, from the host LOCAL unless it is NULL; or -1, and FD is
 * closed: there is no way, or LOCAL is no address of ours. -1 is taken for FD, too.
 */
int dial_connect(int fd, const struct address *server, const struct address *local);
