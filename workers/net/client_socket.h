/*
 * client_socket -- opens non-blocking, close-on-exec sockets to a name server.
 */
#pragma once

#include <sys/socket.h>

#include "dns/address.h"

/* Returns a new socket. TYPE: SOCK_DGRAM or SOCK_STREAM. -1: an error. */
int client_socket_open(const struct address *server, int type);
/*
 * Connects FD to SERVER, from the address LOCAL unless LOCAL is NULL. Returns FD, which
 * may still be connecting. -1: there is no route, or LOCAL is not an address of this
 * host; FD is then closed. If FD is -1, returns -1.
 */
int client_socket_connect(int fd, const struct address *server,
                          const struct address *local);
