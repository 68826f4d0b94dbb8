#include "dialog.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "dns/frames.h"
#include "dns/packet.h"
#include "runtime/loop.h"

struct dialog {
	struct loop *loop;
	struct dialog_listener listener;
	int fd;
	struct loop_io *io;
	struct loop_timer *timer;
	const char *late;		/* what is wrong when the timer comes */
	int64_t silence_ms, end_ms;
	bool is_awaited, has_heard;
	struct buf out;
	size_t sent;
	bool *closed;			/* of a callback that is under way */
	size_t in_len;
	uint8_t in[FRAME_PREFIX + PACKET_MAX];
};

void dialog_close(struct dialog **dialog)
{
	struct dialog *old = *dialog;

	*dialog = NULL;
	if (!old)
		return;
	if (old->closed)
		*old->closed = true;
	loop_io_free(&old->io);
	loop_timer_free(&old->timer);
	if (old->fd >= 0)
		close(old->fd);
	buf_clear(&old->out);
	free(old);
}

static void end(struct dialog *dialog, const char *words)
{
	loop_io_free(&dialog->io);
	loop_timer_cancel(dialog->timer);
	dialog->listener.ended(dialog->listener.self, words);
}

/* ---- time ---- */

static void on_timer(void *self)
{
	struct dialog *dialog = self;

	end(dialog, dialog->late);
}

static void await(struct dialog *dialog)
{
	int64_t left_ms = dialog->end_ms - loop_now_ms(dialog->loop);
	bool near_end = left_ms < dialog->silence_ms;

	if (!dialog->is_awaited)
		return;
	dialog->late = near_end ? "takes too long" : dialog->has_heard
	                        ? "falls silent" : "does not answer";
	if (left_ms < 0)
		left_ms = 0;
	loop_timer_set(dialog->timer, near_end ? left_ms : dialog->silence_ms);
}

void dialog_rest(struct dialog *dialog)
{
	dialog->is_awaited = false;
	loop_timer_cancel(dialog->timer);
}

/* ---- in ---- */

static bool is_whole(const struct dialog *dialog)
{
	return dialog->in_len == frame_wanted(dialog->in, dialog->in_len);
}

/* False: it broke off. */
static bool read_some(struct dialog *dialog)
{
	size_t wanted = frame_wanted(dialog->in, dialog->in_len);
	ssize_t len = recv(dialog->fd, dialog->in + dialog->in_len,
	                   wanted - dialog->in_len, 0);

	if (len < 0)
		return errno == EAGAIN || errno == EINTR;
	dialog->in_len += (size_t)len;
	return len > 0;
}

static void hear(struct dialog *dialog)
{
	bool closed = false;

	for (int i = 0; i < 2 && !is_whole(dialog); i++)
		if (!read_some(dialog)) {
			end(dialog, dialog->has_heard ? "breaks off"
			                              : "takes no message over TCP");
			return;
		}
	if (!is_whole(dialog))
		return;

	size_t len = dialog->in_len - FRAME_PREFIX;
	dialog->in_len = 0;
	dialog->has_heard = true;
	dialog->closed = &closed;
	dialog->listener.heard(dialog->listener.self, dialog->in + FRAME_PREFIX, len);
	if (closed)
		return;
	dialog->closed = NULL;
	await(dialog);
}

/* ---- out ---- */

/* False: nobody takes it. */
static bool say(struct dialog *dialog)
{
	size_t left = dialog->out.len - dialog->sent;
	ssize_t sent = send(dialog->fd, dialog->out.data + dialog->sent, left,
	                    MSG_NOSIGNAL);

	if (sent < 0)
		return errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
	dialog->sent += (size_t)sent;
	if ((size_t)sent < left)
		return true;
	buf_reset(&dialog->out);
	dialog->sent = 0;
	loop_io_set(dialog->io, LOOP_READ);
	return true;
}

static void on_socket(void *self, int events)
{
	struct dialog *dialog = self;

	if (events & LOOP_WRITE && !say(dialog))
		end(dialog, "cannot be reached over TCP");
	else if (events & LOOP_READ)
		hear(dialog);
}

void dialog_say(struct dialog *dialog, const uint8_t *message, size_t len,
                int64_t silence_ms, int64_t whole_ms)
{
	uint8_t prefix[FRAME_PREFIX];

	frame_put_prefix(prefix, len);
	buf_append(&dialog->out, prefix, sizeof(prefix));
	buf_append(&dialog->out, message, len);
	dialog->silence_ms = silence_ms;
	dialog->end_ms = loop_now_ms(dialog->loop) + whole_ms;
	dialog->is_awaited = true;
	if (!dialog->io)		/* its end is on its way */
		return;
	loop_io_set(dialog->io, LOOP_READ | LOOP_WRITE);
	await(dialog);
}

/* ---- the connection ---- */

/* -1: there is none. One that is under way is good. */
static int connect_to(const struct address *server)
{
	struct sockaddr_storage to;
	socklen_t len = address_to_socket(server, &to);
	int fd = socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	if (!connect(fd, (struct sockaddr *)&to, len) || errno == EINPROGRESS)
		return fd;
	close(fd);
	return -1;
}

struct dialog *dialog_open(struct loop *loop, const struct address *server,
                           const struct dialog_listener *listener)
{
	struct dialog *dialog = xcalloc(1, sizeof(*dialog));

	dialog->loop = loop;
	dialog->listener = *listener;
	dialog->timer = loop_timer_new(loop, on_timer, dialog);
	dialog->fd = connect_to(server);
	if (dialog->fd >= 0) {
		dialog->io = loop_io_new(loop, dialog->fd, LOOP_READ | LOOP_WRITE,
		                         on_socket, dialog);
		return dialog;
	}
	dialog->late = "cannot be reached over TCP";
	loop_timer_set(dialog->timer, 0);
	return dialog;
}
