/*
 * client_socket -- opens non-blocking, close-on-exec sockets and connects them to a name
 * server.
 */
#pragma once

#include <sys/socket.h>

#include "dns/address.h"

/*
 * Returns a new socket of the address family of SERVER. TYPE: SOCK_DGRAM or SOCK_STREAM.
 * -1: the system call failed.
 */
int client_socket_open(const struct address *server, int type);
/*
 * Connects FD to SERVER, from the address LOCAL unless LOCAL is NULL. Returns FD, which
 * is possibly still connecting. -1: FD is -1, or the connection failed immediately, for
 * example because there is no route or because LOCAL is not an address of this host.
 * After such a failure, FD is closed.
 */
int client_socket_connect(int fd, const struct address *server,
                          const struct address *local);
