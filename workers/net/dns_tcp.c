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

struct link {
	struct link_listener listener;
	struct loop *loop;
	int fd;
	struct loop_io *io;
	struct loop_timer *timer;
	int64_t silence_ms, end_ms;
	enum link_end due;		/* what it is when the timer comes */
	struct buf out;
	size_t sent;			/* of it */
	bool was_made;
	size_t in_len;
	uint8_t in[FRAME_PREFIX + PACKET_MAX];
};

void link_free(struct link **link)
{
	struct link *old = *link;

	*link = NULL;
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

static void end(struct link *link, enum link_end how)
{
	loop_io_free(&link->io);
	loop_timer_cancel(link->timer);
	link->listener.end(link->listener.self, how);
}

static void on_timer(void *self)
{
	struct link *link = self;

	end(link, link->due);
}

static void wait_for_more(struct link *link)
{
	int64_t left_ms = link->end_ms - loop_now_ms(link->loop);
	bool near_end = left_ms < link->silence_ms;

	if (!link->silence_ms)
		return;
	link->due = near_end ? LINK_LATE : LINK_SILENT;
	if (left_ms < 0)
		left_ms = 0;
	loop_timer_set(link->timer, near_end ? left_ms : link->silence_ms);
}

void link_expect(struct link *link, int64_t silence_ms, int64_t whole_ms)
{
	if (!link->io)
		return;
	link->silence_ms = silence_ms;
	link->end_ms = loop_now_ms(link->loop) + whole_ms;
	wait_for_more(link);
}

/* ---- what comes ---- */

/* False: it broke off. */
static bool read_some(struct link *link)
{
	size_t wanted = frame_wanted(link->in, link->in_len);
	ssize_t len = recv(link->fd, link->in + link->in_len, wanted - link->in_len, 0);

	if (len < 0)
		return errno == EAGAIN || errno == EINTR;
	link->in_len += len;
	return len > 0;
}

static bool is_complete(const struct link *link)
{
	return link->in_len == frame_wanted(link->in, link->in_len);
}

static void hear(struct link *link)
{
	size_t len;

	for (int i = 0; i < 2 && !is_complete(link); i++)
		if (!read_some(link)) {
			end(link, LINK_BROKEN);
			return;
		}
	if (!is_complete(link))
		return;
	len = link->in_len - FRAME_PREFIX;
	link->in_len = 0;
	wait_for_more(link);
	link->listener.message(link->listener.self, link->in + FRAME_PREFIX, len);
}

/* ---- what goes ---- */

/* False: nobody takes it. */
static bool say(struct link *link)
{
	size_t left = link->out.len - link->sent;
	ssize_t sent = send(link->fd, link->out.data + link->sent, left, MSG_NOSIGNAL);

	if (sent < 0)
		return errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
	link->was_made = true;
	link->sent += sent;
	if ((size_t)sent < left)
		return true;
	buf_clear(&link->out);
	link->sent = 0;
	loop_io_set(link->io, LOOP_READ);
	return true;
}

void link_send(struct link *link, const uint8_t *data, size_t len)
{
	uint8_t prefix[FRAME_PREFIX];

	bug_if(len > PACKET_MAX);
	if (!link->io)
		return;
	frame_put_prefix(prefix, len);
	buf_append(&link->out, prefix, sizeof(prefix));
	buf_append(&link->out, data, len);
	loop_io_set(link->io, LOOP_READ | LOOP_WRITE);
}

static void on_socket(void *self, int events)
{
	struct link *link = self;

	if (events & LOOP_WRITE && !say(link))
		end(link, link->was_made ? LINK_BROKEN : LINK_REFUSED);
	else if (events & LOOP_READ)
		hear(link);
}

struct link *link_new(struct loop *loop, int fd, const struct link_listener *listener)
{
	struct link *link = xcalloc(1, sizeof(*link));

	link->listener = *listener;
	link->loop = loop;
	link->fd = fd;
	link->timer = loop_timer_new(loop, on_timer, link);
	if (fd >= 0) {
		link->io = loop_io_new(loop, fd, LOOP_READ, on_socket, link);
	} else {
		link->due = LINK_NONE;
		loop_timer_set(link->timer, 0);
	}
	return link;
}
