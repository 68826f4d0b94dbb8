#include "net/dns_tcp.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "dns/frames.h"
#include "dns/packet.h"
#include "runtime/loop.h"

struct dns_tcp {
	struct dns_tcp_listener listener;
	struct loop *loop;
	int fd;
	struct loop_io *io;
	struct loop_timer *timer;
	int64_t silence_ms, end_ms;
	enum dns_tcp_end due;		/* the end that the timer causes */
	struct buf out;
	size_t sent;			/* octets of out */
	bool was_made;
	size_t in_len;
	uint8_t in[FRAME_PREFIX + PACKET_MAX];
};

void dns_tcp_free(struct dns_tcp **tcp)
{
	struct dns_tcp *old = *tcp;

	*tcp = NULL;
	if (!old)
		return;
	loop_io_free(&old->io);
	loop_timer_free(&old->timer);
	if (old->fd >= 0)
		close(old->fd);
	buf_clear(&old->out);
	free(old);
}

/* ---- time ---- */

static void dns_tcp_call_end(struct dns_tcp *tcp, enum dns_tcp_end how)
{
	loop_io_free(&tcp->io);
	loop_timer_cancel(tcp->timer);
	tcp->listener.end(tcp->listener.self, how);
}

static void dns_tcp_on_timer(void *self)
{
	struct dns_tcp *tcp = self;

	dns_tcp_call_end(tcp, tcp->due);
}

static void dns_tcp_set_timer(struct dns_tcp *tcp)
{
	int64_t left_ms = tcp->end_ms - loop_now_ms(tcp->loop);
	bool near_end = left_ms < tcp->silence_ms;

	if (!tcp->silence_ms)
		return;
	tcp->due = near_end ? DNS_TCP_LATE : DNS_TCP_SILENT;
	if (left_ms < 0)
		left_ms = 0;
	loop_timer_set(tcp->timer, near_end ? left_ms : tcp->silence_ms);
}

void dns_tcp_set_deadlines(struct dns_tcp *tcp, int64_t silence_ms, int64_t whole_ms)
{
	if (!tcp->io)
		return;
	tcp->silence_ms = silence_ms;
	tcp->end_ms = loop_now_ms(tcp->loop) + whole_ms;
	dns_tcp_set_timer(tcp);
}

/* ---- receiving ---- */

/* False: the connection is broken. */
static bool dns_tcp_read(struct dns_tcp *tcp)
{
	size_t wanted = frame_wanted(tcp->in, tcp->in_len);
	ssize_t len = recv(tcp->fd, tcp->in + tcp->in_len, wanted - tcp->in_len, 0);

	if (len < 0)
		return errno == EAGAIN || errno == EINTR;
	tcp->in_len += len;
	return len > 0;
}

static bool dns_tcp_is_complete(const struct dns_tcp *tcp)
{
	return tcp->in_len == frame_wanted(tcp->in, tcp->in_len);
}

static void dns_tcp_receive(struct dns_tcp *tcp)
{
	size_t len;

	for (int i = 0; i < 2 && !dns_tcp_is_complete(tcp); i++)
		if (!dns_tcp_read(tcp)) {
			dns_tcp_call_end(tcp, DNS_TCP_BROKEN);
			return;
		}
	if (!dns_tcp_is_complete(tcp))
		return;
	len = tcp->in_len - FRAME_PREFIX;
	tcp->in_len = 0;
	dns_tcp_set_timer(tcp);
	tcp->listener.message(tcp->listener.self, tcp->in + FRAME_PREFIX, len);
}

/* ---- sending ---- */

/* False: the connection is broken or was refused. */
static bool dns_tcp_write(struct dns_tcp *tcp)
{
	size_t left = tcp->out.len - tcp->sent;
	ssize_t sent = send(tcp->fd, tcp->out.data + tcp->sent, left, MSG_NOSIGNAL);

	if (sent < 0)
		return errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
	tcp->was_made = true;
	tcp->sent += sent;
	if ((size_t)sent < left)
		return true;
	buf_clear(&tcp->out);
	tcp->sent = 0;
	loop_io_set(tcp->io, LOOP_READ);
	return true;
}

void dns_tcp_send(struct dns_tcp *tcp, const uint8_t *data, size_t len)
{
	uint8_t prefix[FRAME_PREFIX];

	bug_if(len > PACKET_MAX);
	if (!tcp->io)
		return;
	frame_put_prefix(prefix, len);
	buf_append(&tcp->out, prefix, sizeof(prefix));
	buf_append(&tcp->out, data, len);
	loop_io_set(tcp->io, LOOP_READ | LOOP_WRITE);
}

static void dns_tcp_on_socket(void *self, int events)
{
	struct dns_tcp *tcp = self;

	if (events & LOOP_WRITE && !dns_tcp_write(tcp))
		dns_tcp_call_end(tcp, tcp->was_made ? DNS_TCP_BROKEN : DNS_TCP_REFUSED);
	else if (events & LOOP_READ)
		dns_tcp_receive(tcp);
}

struct dns_tcp *dns_tcp_new(struct loop *loop, int fd,
			    const struct dns_tcp_listener *listener)
{
	struct dns_tcp *tcp = xcalloc(1, sizeof(*tcp));

	tcp->listener = *listener;
	tcp->loop = loop;
	tcp->fd = fd;
	tcp->timer = loop_timer_new(loop, dns_tcp_on_timer, tcp);
	if (fd >= 0) {
		tcp->io = loop_io_new(loop, fd, LOOP_READ, dns_tcp_on_socket, tcp);
	} else {
		tcp->due = DNS_TCP_NO_SOCKET;
		loop_timer_set(tcp->timer, 0);
	}
	return tcp;
}
