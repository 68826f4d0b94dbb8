#include "exchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/frames.h"
#include "runtime/loop.h"
#include "servers.h"

enum {
	MAX_OPEN = 500,			/* of one server: a dead one must not take all */
	MAX_PLACES = 64,		/* more servers than these share places */
	FIRST_REPEAT_MS = 500,
	MAX_REPEAT_MS = 4000,
	READS_A_TURN = 16,
};

struct exchange {
	struct exchanges *exchanges;
	struct place *place;
	struct exchange *next, **link;	/* while it waits for its place */
	struct exchange_want want;
	struct ask ask;
	uint8_t message[FRAME_PREFIX + ASK_MAX];
	size_t message_len;		/* 0: it cannot be signed */
	exchange_fn *fn;
	void *self;
	bool open;
	/* -1: refused at once, only the timeout is left */
	int fd;
	struct loop_io *io;
	struct loop_timer *timer;
	int64_t end_ms;
	int repeat_ms;
	size_t sent;			/* over TCP */
	uint8_t *in;			/* over TCP: the length and the answer so far */
	size_t in_len;
};

/* Who may be out to one server, and who waits for one of them to end. */
struct place {
	struct address server;
	struct exchange *waiting, **waiting_end;
	int open;
};

struct exchanges {
	struct loop *loop;
	struct servers *servers;	/* who know the keys */
	struct place *places;
	int place_count;
	bool opening;			/* open_waiting() is due at the end of the turn */
	struct address hosts[2];
	int host_count;
};

struct exchanges *exchanges_new(struct loop *loop, struct servers *servers)
{
	struct exchanges *exchanges = xcalloc(1, sizeof(*exchanges));

	exchanges->loop = loop;
	exchanges->servers = servers;
	exchanges->places = xcalloc(MAX_PLACES, sizeof(*exchanges->places));
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

static int connected_socket(const struct exchange *exchange, int type)
{
	const struct address *host =
	    host_for(exchange->exchanges, &exchange->want.server);
	struct sockaddr_storage to, from;
	socklen_t to_len = address_to_socket(&exchange->want.server, &to);
	int fd = socket(to.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (host) {
		socklen_t from_len = address_to_socket(host, &from);

		if (bind(fd, (struct sockaddr *)&from, from_len)) {
			close(fd);
			return -1;
		}
	}
	if (connect(fd, (struct sockaddr *)&to, to_len) && errno != EINPROGRESS) {
		close(fd);
		return -1;
	}
	return fd;
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

static void open_waiting_later(struct exchanges *exchanges);

static void exchange_free(struct exchange *exchange)
{
	struct exchanges *exchanges = exchange->exchanges;

	if (!exchange->open) {
		*exchange->link = exchange->next;
		if (exchange->next)
			exchange->next->link = exchange->link;
		else
			exchange->place->waiting_end = exchange->link;
	} else {
		exchange->place->open--;
		open_waiting_later(exchanges);
	}
	close_socket(exchange);
	loop_timer_free(&exchange->timer);
	free(exchange);
}

static void finish(struct exchange *exchange, const struct judgement *judgement)
{
	exchange_fn *fn = exchange->fn;
	void *self = exchange->self;

	exchange_free(exchange);
	fn(self, judgement);
}

void exchange_cancel(struct exchange **exchange)
{
	if (*exchange)
		exchange_free(*exchange);
	*exchange = NULL;
}

/* ---- TCP ---- */

/* What TCP refuses, or breaks off, is no answer: only the timeout is waited for. */
static void give_up_tcp(struct exchange *exchange)
{
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

static void on_tcp(void *self, int events)
{
	struct exchange *exchange = self;
	struct judgement judgement;

	if (events & LOOP_WRITE && !tcp_send(exchange)) {
		give_up_tcp(exchange);
		return;
	}
	for (int i = 0; events & LOOP_READ && i < 2 && !tcp_is_complete(exchange); i++)
		if (!tcp_read(exchange)) {
			give_up_tcp(exchange);
			return;
		}
	if (!tcp_is_complete(exchange))
		return;
	judgement = verdict_of(&exchange->ask, exchange->in + FRAME_PREFIX,
	                       exchange->in_len - FRAME_PREFIX, clock_unix());
	if (judgement.verdict == VERDICT_MISMATCH)
		exchange->in_len = 0;		/* not ours; another may follow */
	else if (judgement.verdict == VERDICT_TRUNCATED)
		give_up_tcp(exchange);		/* nonsense over TCP */
	else
		finish(exchange, &judgement);
}

static void open_tcp(struct exchange *exchange)
{
	int64_t left_ms = exchange->end_ms - loop_now_ms(exchange->exchanges->loop);

	close_socket(exchange);
	loop_timer_set(exchange->timer, left_ms > 0 ? left_ms : 0);
	exchange->repeat_ms = 0;
	exchange->fd = connected_socket(exchange, SOCK_STREAM);
	if (exchange->fd < 0)
		return;
	exchange->in = xmalloc(FRAME_PREFIX + PACKET_MAX);
	exchange->io = loop_io_new(exchange->exchanges->loop, exchange->fd,
	                           LOOP_READ | LOOP_WRITE, on_tcp, exchange);
}

/* ---- UDP ---- */

/* False: the exchange is over, or goes on over TCP. */
static bool take_datagram(struct exchange *exchange, const uint8_t *data, size_t len)
{
	struct judgement judgement = verdict_of(&exchange->ask, data, len, clock_unix());

	if (judgement.verdict == VERDICT_MISMATCH)
		return true;
	if (judgement.verdict == VERDICT_TRUNCATED)
		open_tcp(exchange);
	else
		finish(exchange, &judgement);
	return false;
}

/* An error that ICMP brought says nothing about the zone: the timeout decides. */
static void on_udp(void *self, int events)
{
	struct exchange *exchange = self;
	uint8_t data[4096];

	(void)events;
	for (int i = 0; i < READS_A_TURN; i++) {
		ssize_t len = recv(exchange->fd, data, sizeof(data), 0);

		if (len < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (len >= 0 && !take_datagram(exchange, data, len))
			return;
	}
}

static void send_datagram(struct exchange *exchange)
{
	if (send(exchange->fd, exchange->message + FRAME_PREFIX, exchange->message_len,
	         MSG_NOSIGNAL) < 0)
		log_debug("datagram not sent: error=%s", strerror(errno));
}

/* Until the next repetition, or the end of the try. */
static void set_timer(struct exchange *exchange)
{
	int64_t left_ms = exchange->end_ms - loop_now_ms(exchange->exchanges->loop);
	int64_t wait_ms = exchange->repeat_ms && exchange->repeat_ms < left_ms
				  ? exchange->repeat_ms : left_ms;

	loop_timer_set(exchange->timer, wait_ms > 0 ? wait_ms : 0);
}

static void on_timer(void *self)
{
	static const struct judgement keyless = {
		.verdict = VERDICT_FAILED,
		.fault = "has a TSIG key that is not known here",
	};
	struct exchange *exchange = self;

	if (!exchange->message_len) {
		finish(exchange, &keyless);
		return;
	}
	if (loop_now_ms(exchange->exchanges->loop) >= exchange->end_ms ||
	    !exchange->repeat_ms) {
		finish(exchange, NULL);
		return;
	}
	send_datagram(exchange);
	exchange->repeat_ms =
	    exchange->repeat_ms < MAX_REPEAT_MS ? 2 * exchange->repeat_ms : 0;
	set_timer(exchange);
}

static void open_udp(struct exchange *exchange)
{
	exchange->fd = connected_socket(exchange, SOCK_DGRAM);
	if (exchange->fd >= 0) {
		exchange->repeat_ms = FIRST_REPEAT_MS;
		exchange->io = loop_io_new(exchange->exchanges->loop, exchange->fd,
		                           LOOP_READ, on_udp, exchange);
		send_datagram(exchange);
	}
	set_timer(exchange);
}

/* ---- places ---- */

/* False: it is to be signed with a key that nobody knows. */
static bool encode(struct exchange *exchange)
{
	const struct name *name = &exchange->want.tsig_key;
	const struct tsig_key *key = NULL;
	size_t len;

	if (name->len)
		key = servers_key(exchange->exchanges->servers, name);
	if (name->len && !key)
		return false;
	len = ask_encode(&exchange->ask, key, (uint64_t)clock_unix(),
	                 exchange->message + FRAME_PREFIX);
	frame_put_prefix(exchange->message, len);
	exchange->message_len = len;
	return true;
}

static void open_exchange(struct exchange *exchange)
{
	struct exchanges *exchanges = exchange->exchanges;

	exchange->open = true;
	exchange->place->open++;
	exchange->end_ms = loop_now_ms(exchanges->loop) + exchange->want.timeout_ms;
	exchange->timer = loop_timer_new(exchanges->loop, on_timer, exchange);
	if (!encode(exchange))
		loop_timer_set(exchange->timer, 0);
	else if (exchange->want.tcp)
		open_tcp(exchange);
	else
		open_udp(exchange);
}

static bool same_server(const struct address *a, const struct address *b)
{
	return a->port == b->port && address_same_host(a, b);
}

/* More servers than places: some share one, by their address. */
static unsigned shared_place(const struct address *server)
{
	unsigned hash = server->port;

	for (size_t i = 0; i < sizeof(server->octets); i++)
		hash = hash * 31 + server->octets[i];
	return hash % MAX_PLACES;
}

static struct place *place_for(struct exchanges *exchanges, const struct address *server)
{
	for (int i = 0; i < exchanges->place_count; i++)
		if (same_server(&exchanges->places[i].server, server))
			return &exchanges->places[i];
	if (exchanges->place_count == MAX_PLACES)
		return &exchanges->places[shared_place(server)];

	struct place *place = &exchanges->places[exchanges->place_count++];
	place->server = *server;
	place->waiting_end = &place->waiting;
	return place;
}

static void open_at(struct place *place)
{
	while (place->waiting && place->open < MAX_OPEN) {
		struct exchange *exchange = place->waiting;

		place->waiting = exchange->next;
		if (exchange->next)
			exchange->next->link = &place->waiting;
		else
			place->waiting_end = &place->waiting;
		open_exchange(exchange);
	}
}

static void open_waiting(void *self)
{
	struct exchanges *exchanges = self;

	exchanges->opening = false;
	for (int i = 0; i < exchanges->place_count; i++)
		open_at(&exchanges->places[i]);
}

static void open_waiting_later(struct exchanges *exchanges)
{
	if (exchanges->opening)
		return;
	exchanges->opening = true;
	loop_later(exchanges->loop, open_waiting, exchanges);
}

static void set_id(struct ask *ask)
{
	uint32_t random = random_u32();

	ask->id = random ^ random >> 16;
}

struct exchange *exchange_start(struct exchanges *exchanges,
                                const struct exchange_want *want, exchange_fn *fn,
                                void *self)
{
	struct exchange *exchange = xcalloc(1, sizeof(*exchange));

	exchange->exchanges = exchanges;
	exchange->want = *want;
	exchange->ask.opcode = want->opcode;
	exchange->ask.zone = want->zone;
	set_id(&exchange->ask);
	exchange->fn = fn;
	exchange->self = self;
	exchange->fd = -1;
	exchange->place = place_for(exchanges, &want->server);
	exchange->link = exchange->place->waiting_end;
	*exchange->place->waiting_end = exchange;
	exchange->place->waiting_end = &exchange->next;
	open_waiting_later(exchanges);
	return exchange;
}
