#include "listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/mem.h"
#include "runtime/loop.h"
#include "tcp_clients.h"

enum { BACKLOG = 512, ACCEPTS_A_TURN = 64, ACCEPT_PAUSE_MS = 100 };

struct tcp_listener {
	struct tcp_clients *clients;
	const struct stream_tls *tls;	/* NULL: no TLS */
	struct loop_io *io;
	struct loop_timer *pause;
	int fd;
	/* a reserve for the case that all descriptors are in use */
	int reserve;
};

/*
 * No descriptor is free. The connection would stay in the backlog, and the loop would
 * spin. So accepts it with the reserve, closes it, and pauses.
 */
static void tcp_listener_back_off(struct tcp_listener *listener)
{
	if (listener->reserve >= 0)
		close(listener->reserve);
	listener->reserve = accept(listener->fd, NULL, NULL);
	if (listener->reserve >= 0)
		close(listener->reserve);
	listener->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
	loop_io_set(listener->io, 0);
	loop_timer_set(listener->pause, ACCEPT_PAUSE_MS);
}

static void tcp_listener_on_pause_over(void *self)
{
	struct tcp_listener *listener = self;

	loop_io_set(listener->io, LOOP_READ);
}

static void tcp_listener_on_connection(void *self, int events)
{
	struct tcp_listener *listener = self;

	(void)events;
	for (int i = 0; i < ACCEPTS_A_TURN; i++) {
		struct sockaddr_storage from;
		socklen_t len = sizeof(from);
		int fd = accept4(listener->fd, (struct sockaddr *)&from, &len,
		                 SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			tcp_clients_admit(listener->clients, fd, &from, listener->tls);
			continue;
		}
		if (descriptors_lack("a TCP client") || errno == ENOBUFS ||
		    errno == ENOMEM)
			tcp_listener_back_off(listener);
		return;
	}
}

enum err tcp_listener_open(struct loop *loop, struct tcp_clients *clients,
                           const struct address *address, const struct stream_tls *tls,
                           struct tcp_listener **listener, struct why *why)
{
	struct tcp_listener *new;
	char text[ADDRESS_TEXT];
	int fd = listener_socket(address, SOCK_STREAM, why);

	if (fd < 0)
		return ERR_UNREACHABLE;
	if (listen(fd, BACKLOG)) {
		int error = errno;

		address_format(address, text);
		fail(why, ERR_UNREACHABLE, "cannot listen on %s TCP port %u: %s", text,
		     address->port, strerror(error));
		close(fd);
		return ERR_UNREACHABLE;
	}
	new = xcalloc(1, sizeof(*new));
	new->clients = clients;
	new->tls = tls;
	new->fd = fd;
	new->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
	new->pause = loop_timer_new(loop, tcp_listener_on_pause_over, new);
	new->io = loop_io_new(loop, fd, LOOP_READ, tcp_listener_on_connection, new);
	*listener = new;
	return OK;
}

void tcp_listener_close(struct tcp_listener **listener)
{
	struct tcp_listener *old = *listener;

	*listener = NULL;
	if (!old)
		return;
	loop_io_free(&old->io);
	loop_timer_free(&old->pause);
	close(old->fd);
	if (old->reserve >= 0)
		close(old->reserve);
	free(old);
}
