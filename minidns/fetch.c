#include "fetch.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/mem.h"
#include "dns/frames.h"
#include "exchange.h"
#include "model/serial.h"
#include "runtime/loop.h"
#include "servers.h"

enum { WHOLE_MS = 300 * 1000 };		/* all of a transfer */

struct fetch {
	const struct fetch_parts *parts;
	struct fetch_want want;
	struct fetch_listener listener;
	struct incoming incoming;
	int fd;
	struct loop_io *io;
	struct loop_timer *timer;
	const char *late;		/* what is wrong when the timer comes */
	int64_t end_ms;
	uint8_t out[FRAME_PREFIX + INCOMING_ASK_MAX];
	size_t out_len, sent;
	uint8_t in[FRAME_PREFIX + PACKET_MAX];
	size_t in_len;
};

static void fetch_free(struct fetch *fetch)
{
	loop_io_free(&fetch->io);
	loop_timer_free(&fetch->timer);
	if (fetch->fd >= 0)
		close(fetch->fd);
	incoming_clear(&fetch->incoming);
	free(fetch);
}

void fetch_cancel(struct fetch **fetch)
{
	if (*fetch)
		fetch_free(*fetch);
	*fetch = NULL;
}

static void finish(struct fetch *fetch, enum fetch_outcome outcome, const char *words)
{
	struct fetch_listener listener = fetch->listener;
	uint32_t serial = fetch->incoming.serial;

	fetch_free(fetch);
	listener.end(listener.self, outcome, serial, words);
}

/* ---- time ---- */

static void on_timer(void *self)
{
	struct fetch *fetch = self;

	finish(fetch, FETCH_FAILED, fetch->late);
}

static void wait_for_more(struct fetch *fetch)
{
	int64_t left_ms = fetch->end_ms - loop_now_ms(fetch->parts->loop);
	bool near_end = left_ms < fetch->want.silence_ms;

	fetch->late = near_end ? "takes too long for its transfer"
	            : fetch->incoming.messages ? "falls silent within its transfer"
	                                       : "does not answer";
	if (left_ms < 0)
		left_ms = 0;
	loop_timer_set(fetch->timer, near_end ? left_ms : fetch->want.silence_ms);
}

/* ---- what it sends ---- */

static void end_refused(struct fetch *fetch)
{
	enum rcode rcode = fetch->incoming.rcode;
	bool refused = rcode == RCODE_REFUSED || rcode == RCODE_NOTAUTH ||
	               rcode == RCODE_NXDOMAIN || rcode == RCODE_NOTIMP;

	finish(fetch, refused ? FETCH_REFUSED : FETCH_FAILED, fetch->incoming.fault);
}

/* What is left of the message; false: the fetch is over. */
static bool take_records(struct fetch *fetch)
{
	struct incoming *incoming = &fetch->incoming;
	struct canonical *record = fetch->parts->record;
	enum incoming_step step;

	while ((step = incoming_next(incoming, record)) == INCOMING_RECORD) {
		if (serial_newer(incoming->serial, fetch->want.newest)) {
			finish(fetch, FETCH_NEWER, "has a newer serial");
			return false;
		}
		fetch->listener.record(fetch->listener.self, record);
	}
	if (step == INCOMING_MORE)
		return true;
	if (step == INCOMING_END)
		finish(fetch, FETCH_WHOLE, "");
	else if (step == INCOMING_REFUSED)
		end_refused(fetch);
	else
		finish(fetch, FETCH_FAILED, incoming->fault);
	return false;
}

/* False: it broke off. */
static bool read_some(struct fetch *fetch)
{
	size_t wanted = frame_wanted(fetch->in, fetch->in_len);
	ssize_t len = recv(fetch->fd, fetch->in + fetch->in_len, wanted - fetch->in_len,
	                   0);

	if (len < 0)
		return errno == EAGAIN || errno == EINTR;
	fetch->in_len += len;
	return len > 0;
}

static bool is_complete(const struct fetch *fetch)
{
	return fetch->in_len == frame_wanted(fetch->in, fetch->in_len);
}

static void end_broken(struct fetch *fetch)
{
	finish(fetch, FETCH_BROKEN, fetch->incoming.messages
	                            ? "breaks its transfer off"
	                            : "takes no question over TCP");
}

static void hear(struct fetch *fetch)
{
	for (int i = 0; i < 2 && !is_complete(fetch); i++)
		if (!read_some(fetch)) {
			end_broken(fetch);
			return;
		}
	if (!is_complete(fetch))
		return;
	incoming_take(&fetch->incoming, fetch->in + FRAME_PREFIX,
	              fetch->in_len - FRAME_PREFIX, (uint64_t)clock_unix());
	fetch->in_len = 0;
	if (take_records(fetch))
		wait_for_more(fetch);
}

/* ---- what it is sent ---- */

/* False: nobody takes it. */
static bool say(struct fetch *fetch)
{
	size_t left = fetch->out_len - fetch->sent;
	ssize_t sent = send(fetch->fd, fetch->out + fetch->sent, left, MSG_NOSIGNAL);

	if (sent < 0)
		return errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
	fetch->sent += sent;
	if ((size_t)sent == left)
		loop_io_set(fetch->io, LOOP_READ);
	return true;
}

static void on_socket(void *self, int events)
{
	struct fetch *fetch = self;

	if (events & LOOP_WRITE && !say(fetch))
		end_broken(fetch);
	else if (events & LOOP_READ)
		hear(fetch);
}

/* False: it is to be signed with a key that nobody knows. */
static bool ask(struct fetch *fetch)
{
	const struct fetch_want *want = &fetch->want;
	const struct tsig_key *key = NULL;
	size_t len;

	if (want->tsig_key.len)
		key = servers_key(fetch->parts->servers, &want->tsig_key, NULL);
	if (want->tsig_key.len && !key)
		return false;
	len = incoming_ask(&fetch->incoming, &want->zone, random_u32() & 0xffff, key,
	                   (uint64_t)clock_unix(), fetch->out + FRAME_PREFIX);
	fetch->incoming.limits = want->limits;
	frame_put_prefix(fetch->out, len);
	fetch->out_len = FRAME_PREFIX + len;
	return true;
}

static void fail_soon(struct fetch *fetch, const char *words)
{
	fetch->late = words;
	loop_timer_set(fetch->timer, 0);
}

struct fetch *fetch_start(const struct fetch_parts *parts, const struct fetch_want *want,
                          const struct fetch_listener *listener)
{
	struct fetch *fetch = xcalloc(1, sizeof(*fetch));

	fetch->parts = parts;
	fetch->want = *want;
	fetch->listener = *listener;
	fetch->fd = -1;
	fetch->timer = loop_timer_new(parts->loop, on_timer, fetch);
	fetch->end_ms = loop_now_ms(parts->loop) + WHOLE_MS;
	if (exchanges_silent_since(parts->exchanges, &want->server)) {
		fail_soon(fetch, "is silent");
		return fetch;
	}
	if (!ask(fetch)) {
		fail_soon(fetch, "has a TSIG key that is not known here");
		return fetch;
	}
	fetch->fd = exchanges_connect(parts->exchanges, &want->server);
	if (fetch->fd < 0) {
		fail_soon(fetch, "cannot be reached over TCP");
		return fetch;
	}
	fetch->io = loop_io_new(parts->loop, fetch->fd, LOOP_READ | LOOP_WRITE, on_socket,
	                        fetch);
	wait_for_more(fetch);
	return fetch;
}
