/*
 * client_socket -- opens non-blocking, close-on-exec sockets to a name server.
 */
#pragma once

#include <sys/socket.h>

#include "dns/address.h"

/* TYPE: SOCK_DGRAM or SOCK_STREAM. Returns -1 on an error. */
int client_socket_open(const struct address *server, int type);
/*
 * Connects FD to SERVER, from the address LOCAL unless LOCAL is NULL. Returns FD; it may
 * still be connecting. -1: no route, or LOCAL is not an address of this host; FD is
 * closed then. FD may be -1.
 */
int client_socket_connect(int fd, const struct address *server,
                          const struct address *local);
