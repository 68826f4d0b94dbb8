#include "dns_request_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "minidns.h"
#include "net/dial.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"

enum {
	FIRST_REPEAT_MS = 500,
	MAX_REPEAT_MS = 4000,
	READS = 16,			/* from a socket at a time */
	ANSWERS_A_TURN = 96,		/* from all: one costs some 15 us */
	UNKNOWN_MS = 3000,		/* until the database must know a server */
	LOOK_AGAIN_MS = 100,
};

struct exchanges *exchanges_new(struct loop *loop, struct servers *servers,
                                const struct figures *figures)
{
	struct exchanges *exchanges = xcalloc(1, sizeof(*exchanges));

	exchanges->loop = loop;
	exchanges->servers = servers;
	exchanges->figures = figures;
	exchanges->places = places_new();
	return exchanges;
}

void exchanges_free(struct exchanges **exchanges)
{
	struct exchanges *old = *exchanges;

	*exchanges = NULL;
	if (!old)
		return;
	for (int i = 0; i < old->place_count; i++)
		bug_if(old->places[i].open || old->places[i].waiting);
	loop_later_cancel(old->loop, old);
	free(old->places);
	free(old);
}

static const struct address *host_for(const struct exchanges *exchanges,
                                      const struct address *server)
{
	for (int i = 0; i < exchanges->host_count; i++)
		if (exchanges->hosts[i].bits == server->bits)
			return &exchanges->hosts[i];
	return NULL;
}

void exchanges_bind(struct exchanges *exchanges, const struct address *host)
{
	if (address_is_any(host) || host_for(exchanges, host))
		return;
	exchanges->hosts[exchanges->host_count] = *host;
	exchanges->hosts[exchanges->host_count++].port = 0;
}

/* ---- sockets ---- */

static int connected_socket(struct exchange *exchange, int type)
{
	const struct address *server = &exchange->want.server;
	int fd = dial_socket(server, type);

	exchange->asked |= fd >= 0;
	return dial_connect(fd, server, host_for(exchange->exchanges, server));
}

int exchanges_connect(const struct exchanges *exchanges, const struct address *server)
{
	return dial_connect(dial_socket(server, SOCK_STREAM), server,
	                    host_for(exchanges, server));
}

static void close_socket(struct exchange *exchange)
{
	loop_io_free(&exchange->io);
	if (exchange->fd >= 0)
		close(exchange->fd);
	exchange->fd = -1;
	free(exchange->in);
	exchange->in = NULL;
	exchange->in_len = exchange->sent = 0;
}

/* ---- the end ---- */

static void exchange_free(struct exchange *exchange)
{
	if (exchange->place)
		place_leave(exchange);
	close_socket(exchange);
	loop_timer_free(&exchange->timer);
	explicit_bzero(&exchange->ask.chain, sizeof(exchange->ask.chain));
	free(exchange);
}

static void finish(struct exchange *exchange, const struct judgement *judgement)
{
	exchange_fn *fn = exchange->fn;
	void *self = exchange->self;

	if (exchange->asked)
		(judgement ? place_heard : place_unanswered)(exchange);
	exchange_free(exchange);
	fn(self, judgement);
}

void exchange_cancel(struct exchange **exchange)
{
	if (*exchange)
		exchange_free(*exchange);
	*exchange = NULL;
}

static void set_timer(struct exchange *exchange, int64_t after_ms)
{
	exchange->due_us = clock_us() + 1000 * after_ms;
	loop_timer_set(exchange->timer, after_ms);
}

/* ---- TCP ---- */

/* What TCP refuses, or breaks off, is no answer: only the timeout is waited for. */
static void give_up_tcp(struct exchange *exchange)
{
	if (forgery_case_not_echoed(&exchange->forgery, NULL))
		place_note_case_not_echoed(exchange);
	close_socket(exchange);
}

static bool tcp_send(struct exchange *exchange)
{
	size_t left = FRAME_PREFIX + exchange->message_len - exchange->sent;
	ssize_t sent;

	if (!left)
		return true;
	sent = send(exchange->fd, exchange->message + exchange->sent, left, MSG_NOSIGNAL);
	if (sent < 0)
		return errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
	exchange->sent += sent;
	if ((size_t)sent == left)
		loop_io_set(exchange->io, LOOP_READ);
	return true;
}

static bool tcp_read(struct exchange *exchange)
{
	size_t wanted = frame_wanted(exchange->in, exchange->in_len);
	ssize_t len = recv(exchange->fd, exchange->in + exchange->in_len,
	                   wanted - exchange->in_len, 0);

	if (len < 0)
		return errno == EAGAIN || errno == EINTR;
	exchange->in_len += len;
	return len > 0;
}

static bool tcp_is_complete(const struct exchange *exchange)
{
	return exchange->in_len == frame_wanted(exchange->in, exchange->in_len);
}

static void finish_over_tcp(struct exchange *exchange, const struct judgement *judgement)
{
	if (forgery_case_not_echoed(&exchange->forgery, judgement))
		place_note_case_not_echoed(exchange);
	finish(exchange, judgement);
}

/* False: the exchange is over. */
static bool hear_tcp(struct exchange *exchange)
{
	struct judgement judgement;

	for (int i = 0; i < 2 && !tcp_is_complete(exchange); i++)
		if (!tcp_read(exchange)) {
			give_up_tcp(exchange);
			return true;
		}
	if (!tcp_is_complete(exchange))
		return true;
	judgement = verdict_of(&exchange->ask, exchange->in + FRAME_PREFIX,
	                       exchange->in_len - FRAME_PREFIX, clock_unix());
	if (judgement.fault)
		judgement.verdict = VERDICT_FAILED;	/* nobody else speaks here */
	if (judgement.verdict == VERDICT_MISMATCH)
		exchange->in_len = 0;		/* not ours; another may follow */
	else if (judgement.verdict == VERDICT_TRUNCATED)
		give_up_tcp(exchange);		/* nonsense over TCP */
	else
		finish_over_tcp(exchange, &judgement);
	return judgement.verdict == VERDICT_MISMATCH ||
	       judgement.verdict == VERDICT_TRUNCATED;
}

static void on_tcp(void *self, int events)
{
	struct exchange *exchange = self;

	if (events & LOOP_WRITE && !tcp_send(exchange))
		give_up_tcp(exchange);
	else if (events & LOOP_READ)
		hear_tcp(exchange);
}

static void open_tcp(struct exchange *exchange)
{
	int64_t left_ms = exchange->end_ms - loop_now_ms(exchange->exchanges->loop);

	close_socket(exchange);
	set_timer(exchange, left_ms > 0 ? left_ms : 0);
	exchange->repeat_ms = 0;
	exchange->forgery.link = FORGERY_TCP;
	exchange->fd = connected_socket(exchange, SOCK_STREAM);
	if (exchange->fd < 0)
		return;
	exchange->in = xmalloc(FRAME_PREFIX + PACKET_MAX);
	exchange->io = loop_io_new(exchange->exchanges->loop, exchange->fd,
	                           LOOP_READ | LOOP_WRITE, on_tcp, exchange);
}

/* ---- UDP ---- */

/* Whoever is better at signing may still answer; if nobody does, this was the answer. */
static void doubt(struct exchange *exchange, const struct judgement *judgement)
{
	if (!judgement->fault)
		return;
	exchange->doubted = *judgement;
	exchange->doubted.verdict = VERDICT_FAILED;
}

static void finish_unanswered(struct exchange *exchange)
{
	static const struct judgement unasked = {
		.verdict = VERDICT_UNASKED,
		.fault = "was not asked: mini-DNS has no socket left",
	};
	struct judgement doubted = exchange->doubted;

	if (forgery_case_not_echoed(&exchange->forgery, NULL))
		place_note_case_not_echoed(exchange);
	if (!exchange->asked)
		finish(exchange, &unasked);
	else
		finish(exchange, doubted.fault ? &doubted : NULL);
}

static void leave_udp(struct exchange *exchange)
{
	place_distrusted(exchange);
	open_tcp(exchange);
}

static void take(struct exchange *exchange, const struct judgement *judgement)
{
	if (judgement->verdict == VERDICT_TRUNCATED) {
		place_heard(exchange);
		open_tcp(exchange);
	} else {
		finish(exchange, judgement);
	}
}

/* False: the exchange is over, or goes on over TCP. */
static bool take_datagram(struct exchange *exchange, const uint8_t *data, size_t len)
{
	struct judgement judgement = verdict_of(&exchange->ask, data, len, clock_unix());
	enum forgery_heard heard = forgery_heard(&judgement);

	if (heard == FORGERY_WRONG)
		metric_add(exchange->exchanges->figures->answers_wrong, 1);
	switch (forgery_step(&exchange->forgery, heard)) {
	case FORGERY_WAIT:
		doubt(exchange, &judgement);
		return true;
	case FORGERY_LEAVE:
		leave_udp(exchange);
		return false;
	case FORGERY_TAKE:
		take(exchange, &judgement);
	}
	return false;
}

/*
 * False: the exchange is over, or goes on over TCP. An error that
 * ICMP brought says nothing about the zone: the timeout decides.
 */
static bool hear_udp(struct exchange *exchange)
{
	uint8_t data[4096];

	for (int i = 0; i < READS; i++) {
		ssize_t len = recv(exchange->fd, data, sizeof(data), 0);

		if (len < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return true;
		if (len >= 0 && !take_datagram(exchange, data, len))
			return false;
	}
	return true;
}

/*
 * A server that wakes up may answer hundreds at once. What is more than can be taken
 * in without timers being late lies in its socket until the next turn.
 */
static bool may_hear(struct exchanges *exchanges)
{
	uint64_t turn = loop_turn(exchanges->loop);

	if (exchanges->turn != turn)
		exchanges->answers = 0;
	exchanges->turn = turn;
	return exchanges->answers++ < ANSWERS_A_TURN;
}

static void on_udp(void *self, int events)
{
	struct exchange *exchange = self;

	(void)events;
	if (may_hear(exchange->exchanges))
		hear_udp(exchange);
}

static void send_datagram(struct exchange *exchange)
{
	if (send(exchange->fd, exchange->message + FRAME_PREFIX, exchange->message_len,
	         MSG_NOSIGNAL) < 0)
		log_debug("datagram not sent: error=%s", strerror(errno));
}

/* Until the next repetition, or the end of the try. */
static void wait_for_answer(struct exchange *exchange)
{
	int64_t left_ms = exchange->end_ms - loop_now_ms(exchange->exchanges->loop);
	int64_t wait_ms = exchange->repeat_ms && exchange->repeat_ms < left_ms
				  ? exchange->repeat_ms : left_ms;

	set_timer(exchange, wait_ms > 0 ? wait_ms : 0);
}

/* Without a socket it tries again for one, as it would repeat the question. */
static void open_udp(struct exchange *exchange)
{
	exchange->fd = connected_socket(exchange, SOCK_DGRAM);
	exchange->repeat_ms = FIRST_REPEAT_MS;
	if (exchange->fd >= 0) {
		exchange->io = loop_io_new(exchange->exchanges->loop, exchange->fd,
		                           LOOP_READ, on_udp, exchange);
		send_datagram(exchange);
	}
	wait_for_answer(exchange);
}

/* What came in while we were busy, for timers are looked at before sockets. */
static bool hear(struct exchange *exchange)
{
	if (exchange->fd < 0)
		return true;
	return exchange->in ? hear_tcp(exchange) : hear_udp(exchange);
}

/* A server that was added a moment ago is not turned away: the list is read again. */
static void seek_place(struct exchange *exchange)
{
	static const struct judgement unknown = {
		.verdict = VERDICT_UNASKED,
		.fault = "was not asked: the database knows no such server",
	};
	int64_t left_ms = exchange->end_ms - loop_now_ms(exchange->exchanges->loop);

	if (place_is_known(exchange)) {
		place_wait(exchange);
	} else if (left_ms > 0) {
		set_timer(exchange, left_ms < LOOK_AGAIN_MS ? left_ms : LOOK_AGAIN_MS);
	} else {
		place_note_unknown(exchange);
		finish(exchange, &unknown);
	}
}

static void on_timer(void *self)
{
	static const struct judgement keyless = {
		.verdict = VERDICT_UNASKED,
		.fault = "has a TSIG key that is not known here",
	};
	struct exchange *exchange = self;

	metric_observe_us(exchange->exchanges->figures->timer_late_us,
	                  clock_us() - exchange->due_us);
	if (!exchange->place) {
		seek_place(exchange);
		return;
	}
	if (!exchange->message_len) {
		finish(exchange, &keyless);
		return;
	}
	if (!hear(exchange))
		return;
	if (loop_now_ms(exchange->exchanges->loop) >= exchange->end_ms ||
	    !exchange->repeat_ms) {
		finish_unanswered(exchange);
		return;
	}
	if (exchange->fd < 0) {
		open_udp(exchange);
		return;
	}
	send_datagram(exchange);
	exchange->repeat_ms =
	    exchange->repeat_ms < MAX_REPEAT_MS ? 2 * exchange->repeat_ms : 0;
	wait_for_answer(exchange);
}

/* ---- the beginning ---- */

void exchange_open(struct exchange *exchange)
{
	struct exchanges *exchanges = exchange->exchanges;

	exchange->began_ms = loop_now_ms(exchanges->loop);
	exchange->end_ms = exchange->began_ms + exchange->want.timeout_ms;
	if (!exchange_encode(exchange))
		set_timer(exchange, 0);
	else if (exchange->want.tcp)
		open_tcp(exchange);
	else
		open_udp(exchange);
}

/*
 * A NOTIFY leaves all the same, once, and nobody waits for its answer: there are those
 * who listen and never answer, and who just came back hears of the change a little
 * earlier. It costs a datagram.
 */
void exchange_spare(struct exchange *exchange)
{
	metric_add(exchange->exchanges->figures->exchanges_spared, 1);
	if (exchange->want.opcode == OPCODE_NOTIFY && !exchange->want.tcp &&
	    exchange_encode(exchange)) {
		exchange->fd = connected_socket(exchange, SOCK_DGRAM);
		if (exchange->fd >= 0)
			send_datagram(exchange);
	}
	exchange->asked = false;
	finish(exchange, NULL);
}

struct exchange *exchange_start(struct exchanges *exchanges,
                                const struct exchange_want *want, exchange_fn *fn,
                                void *self)
{
	struct exchange *exchange = xcalloc(1, sizeof(*exchange));

	exchange->exchanges = exchanges;
	exchange->want = *want;
	exchange->fn = fn;
	exchange->self = self;
	exchange->fd = -1;
	exchange->timer = loop_timer_new(exchanges->loop, on_timer, exchange);
	exchange->end_ms = loop_now_ms(exchanges->loop) + UNKNOWN_MS;
	seek_place(exchange);
	return exchange;
}
