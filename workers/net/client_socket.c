#include "net/client_socket.h"

#include <errno.h>
#include <unistd.h>

#include "base/descriptors.h"

int client_socket_open(const struct address *server, int type)
{
	int family = server->bits == 32 ? AF_INET : AF_INET6;

	int fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		descriptors_lack("a query to a name server");
	return fd;
}

int client_socket_connect(int fd, const struct address *server,
                          const struct address *local)
{
	struct sockaddr_storage to, from;
	socklen_t to_len = address_to_socket(server, &to);
	socklen_t from_len = local ? address_to_socket(local, &from) : 0;

	if (fd < 0)
		return -1;
	if ((!local || !bind(fd, (struct sockaddr *)&from, from_len)) &&
	    (!connect(fd, (struct sockaddr *)&to, to_len) || errno == EINPROGRESS))
		return fd;
	close(fd);
	return -1;
}
