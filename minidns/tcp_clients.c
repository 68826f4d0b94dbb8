#include "tcp_clients.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/mem.h"
#include "dns/frames.h"
#include "minidns.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "serve.h"
#include "servers.h"
#include "stream.h"
#include "tcp_answers.h"
#include "transfers.h"

enum {
	FIRST_QUESTION_MS = 5000,
	CROWDED_IDLE_MS = 10000,	/* while more than half of the places are taken */
	/*
	 * mini-DNS closes a client that takes less than this in stall_ms. It checks more
	 * often, so that octets taken early in that time do not count at its end.
	 */
	STALL_BYTES = 4096,
	STALL_LOOKS = 8,
	/* open questions of a client, and its unfinished transfers */
	MAX_IN_FLIGHT = 32,
	/* bytes of answers; beyond it no further questions are read */
	MAX_QUEUED = 256 * 1024,
	READ_SIZE = 16 * 1024,
};

struct tcp_client {
	struct tcp_client *next, **link;
	struct tcp_clients *clients;
	struct address peer;
	/* fd is -1: closed, but an answer will still come */
	struct stream stream;
	struct loop_io *io;
	struct loop_timer *timer;
	struct frames questions;
	struct tcp_answers answers;
	int in_flight;
	bool said_all;			/* the client sends no more questions */
	/* a server of ours when it connected; false: unknown */
	bool known;
	bool asked;			/* its first question was complete */
	bool had_transfer;
	/*
	 * within tcp_clients_take_questions(): it must not run again or free the client
	 */
	bool reading;
	bool taking;			/* the client had output after the last event */
	/* start of the idle time, or of the time in which it must take STALL_BYTES */
	int64_t last_ms;
	int64_t taken;			/* octets taken at last_ms, if `taking` */
	int64_t look_ms;		/* time of the next check, if `taking` */
};

struct tcp_clients {
	struct loop *loop;
	struct tcp_clients_config config;
	struct tcp_client *first;
	int count;
	bool draining;
	uint8_t scratch[READ_SIZE];
};

struct tcp_clients *tcp_clients_new(struct loop *loop,
                                    const struct tcp_clients_config *config)
{
	struct tcp_clients *clients = xcalloc(1, sizeof(*clients));

	clients->loop = loop;
	clients->config = *config;
	return clients;
}

/* ---- the end of a client ---- */

static void tcp_clients_free_if_done(struct tcp_client *client)
{
	if (client->stream.fd >= 0 || client->in_flight || client->reading)
		return;
	free(client);
}

/*
 * Closes the connection. Pending answers find it closed; the last one frees the client.
 */
static void tcp_clients_close_client(struct tcp_client *client)
{
	struct tcp_clients *clients = client->clients;

	if (client->stream.fd < 0)
		return;
	*client->link = client->next;
	if (client->next)
		client->next->link = client->link;
	clients->count--;
	metric_add(clients->config.figures->tcp_clients, -1);
	loop_io_free(&client->io);
	loop_timer_free(&client->timer);
	stream_close(&client->stream);
	tcp_answers_clear(&client->answers);
	frames_clear(&client->questions);
	tcp_clients_free_if_done(client);
}

static void tcp_clients_reset_client(struct tcp_client *client)
{
	static const struct linger reset = { .l_onoff = 1 };

	setsockopt(client->stream.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	tcp_clients_close_client(client);
}

/*
 * The client has hung up, and has all its answers. If it is a name server that took a
 * complete transfer, a reset ends the connection on both sides immediately. Otherwise its
 * host would keep the port for a minute more (TIME_WAIT). With some hundred changes a
 * second a server runs out of ports, and the search for a free one costs it more than the
 * transfer. Any other client may have closed only one direction, and gets its end of
 * file.
 */
static void tcp_clients_disconnect(struct tcp_client *client)
{
	int unsent;

	if (client->had_transfer && !ioctl(client->stream.fd, SIOCOUTQ, &unsent) &&
	    !unsent)
		tcp_clients_reset_client(client);
	else
		tcp_clients_close_client(client);
}

/* ---- deadlines ---- */

static bool tcp_clients_has_room(const struct tcp_client *client)
{
	return client->in_flight + client->answers.transfer_count < MAX_IN_FLIGHT &&
	       client->answers.queued < MAX_QUEUED;
}

/*
 * True: this process can continue without an event: there is room again for the answer to
 * a question that was read.
 */
static bool tcp_clients_has_question(const struct tcp_client *client)
{
	return tcp_clients_has_room(client) && frames_has_next(&client->questions);
}

/* True: there is output for the client, or it is made when the socket has room. */
static bool tcp_clients_has_output(const struct tcp_client *client)
{
	return tcp_answers_ready(&client->answers) || tcp_clients_has_question(client);
}

/* True: no answer for the client is missing. */
static bool tcp_clients_is_idle(const struct tcp_client *client)
{
	return !client->in_flight && tcp_answers_empty(&client->answers) &&
	       !frames_has_next(&client->questions);
}

/* The idle timeout of a client that has asked something. */
static int64_t tcp_clients_idle_ms(const struct tcp_clients *clients)
{
	const struct tcp_clients_config *config = &clients->config;

	if (clients->count > config->limit / 2 &&
	    config->idle_ms > CROWDED_IDLE_MS)
		return CROWDED_IDLE_MS;
	return config->idle_ms;
}

/*
 * The idle timeout that a client is told. 0: it must close the connection when it has its
 * answers (RFC 7828 3.3.2); questions until then are answered.
 */
static int64_t tcp_clients_announced_idle_ms(const struct tcp_clients *clients)
{
	return clients->draining ? 0 : tcp_clients_idle_ms(clients);
}

static int64_t tcp_clients_patience_ms(const struct tcp_client *client)
{
	return client->asked ? tcp_clients_idle_ms(client->clients) : FIRST_QUESTION_MS;
}

/* When the client is closed if nothing happens; -1: it waits for us. */
static int64_t tcp_clients_deadline_ms(const struct tcp_client *client)
{
	if (tcp_clients_has_output(client))
		return client->look_ms;
	if (!tcp_clients_is_idle(client))
		return -1;
	return client->last_ms + tcp_clients_patience_ms(client);
}

static void tcp_clients_set_timer(struct tcp_client *client)
{
	int64_t left_ms =
	    tcp_clients_deadline_ms(client) - loop_now_ms(client->clients->loop);

	if (tcp_clients_deadline_ms(client) < 0)
		loop_timer_cancel(client->timer);
	else
		loop_timer_set(client->timer, left_ms > 0 ? left_ms : 0);
}

/* False while answers to earlier questions are not taken: they are kept in memory. */
static bool tcp_clients_wants_questions(const struct tcp_client *client)
{
	return !client->said_all && tcp_clients_has_room(client) &&
	!frames_has_next(&client->questions);
}

/*
 * The octets that the client's host has acknowledged. A little more room in its socket,
 * or another question, does not count.
 */
static int64_t tcp_clients_taken(const struct tcp_client *client)
{
	int unsent = 0;

	ioctl(client->stream.fd, SIOCOUTQ, &unsent);
	return client->answers.written - unsent;
}

static void tcp_clients_resume_later(struct tcp_client *client)
{
	int stall_ms = client->clients->config.stall_ms;

	client->look_ms = loop_now_ms(client->clients->loop) +
	                  (stall_ms + STALL_LOOKS - 1) / STALL_LOOKS;
}

static void tcp_clients_begin_period(struct tcp_client *client)
{
	client->last_ms = loop_now_ms(client->clients->loop);
	client->taken = tcp_clients_taken(client);
	tcp_clients_resume_later(client);
}

static bool tcp_clients_has_stalled(const struct tcp_client *client)
{
	const struct tcp_clients *clients = client->clients;

	return loop_now_ms(clients->loop) - client->last_ms >= clients->config.stall_ms;
}

/* A client that takes too little gets a reset, so that the kernel drops the rest. */
static void tcp_clients_on_timer(void *self)
{
	struct tcp_client *client = self;

	if (!tcp_clients_has_output(client)) {
		tcp_clients_close_client(client);
		return;
	}
	if (tcp_clients_taken(client) - client->taken >= STALL_BYTES) {
		tcp_clients_begin_period(client);
	} else if (tcp_clients_has_stalled(client)) {
		metric_add(client->clients->config.figures->tcp_stalled, 1);
		tcp_clients_reset_client(client);
		return;
	} else {
		tcp_clients_resume_later(client);
	}
	tcp_clients_set_timer(client);
}

/* After each event: sets the events and the timer to wait for, or stops waiting. */
static void tcp_clients_settle(struct tcp_client *client)
{
	int events;

	if (client->stream.fd < 0)
		return;
	if (client->said_all && tcp_clients_is_idle(client)) {
		tcp_clients_close_client(client);
		return;
	}
	if (tcp_clients_has_output(client) != client->taking) {
		client->taking = !client->taking;
		tcp_clients_begin_period(client);
	}
	events = (tcp_clients_wants_questions(client) ? LOOP_READ : 0) |
		 (tcp_clients_has_output(client) ? LOOP_WRITE : 0);
	loop_io_set(client->io, stream_events(&client->stream, events));
	tcp_clients_set_timer(client);
}

/* ---- answers ---- */

/* The caller must hold the client, because it may be closed in here. */
static void tcp_clients_send_answers(struct tcp_client *client)
{
	if (!tcp_answers_send(&client->answers, &client->stream))
		tcp_clients_close_client(client);
}

static void tcp_clients_on_transfer_ready(void *self)
{
	tcp_clients_settle(self);
}

static void tcp_clients_put_answer(struct tcp_client *client, const struct reply *reply)
{
	if (!reply->transfer && !reply->len)
		return;
	client->had_transfer |= reply->transfer != NULL;
	tcp_answers_put(&client->answers, reply, tcp_clients_on_transfer_ready, client);
}

/* ---- questions ---- */

static void tcp_clients_take_questions(struct tcp_client *client);

static void tcp_clients_on_reply(void *self, const struct reply *reply)
{
	struct tcp_client *client = self;

	client->in_flight--;
	if (client->stream.fd < 0) {
		struct transfer *transfer = reply->transfer;

		transfer_free(&transfer, false);
		tcp_clients_free_if_done(client);
		return;
	}
	tcp_clients_put_answer(client, reply);
	tcp_clients_take_questions(client);
}

static void tcp_clients_serve_question(struct tcp_client *client, const uint8_t *packet,
                                       size_t len)
{
	struct serve_request request = {
		.packet = packet,
		.len = len,
		.peer = client->peer,
		.tcp = true,
		.idle_ms = tcp_clients_announced_idle_ms(client->clients),
		.later = tcp_clients_on_reply,
		.self = client,
	};
	struct reply reply;

	client->in_flight++;
	switch (serve(client->clients->config.serve, &request, &reply)) {
	case SERVE_LATER:
		return;
	case SERVE_NOW:
		tcp_clients_put_answer(client, &reply);
		break;
	case SERVE_SILENCE:
		break;
	}
	client->in_flight--;
}

static void tcp_clients_forget_taken(struct tcp_client *client)
{
	if (!frames_drop_taken(&client->questions))
		return;
	if (!client->taking)
		client->last_ms = loop_now_ms(client->clients->loop);
	client->asked = true;
}

/* Takes all questions that are there, as long as there is room for their answers. */
static void tcp_clients_take_questions(struct tcp_client *client)
{
	const uint8_t *question;
	size_t len;

	if (client->reading)
		return;
	client->reading = true;
	while (tcp_clients_has_room(client) &&
	       (question = frames_next(&client->questions, &len)))
		tcp_clients_serve_question(client, question, len);
	tcp_clients_forget_taken(client);
	tcp_clients_send_answers(client);
	tcp_clients_settle(client);
	/* until here the client was not freed, even if it was closed */
	client->reading = false;
	tcp_clients_free_if_done(client);
}

/* False: the client was freed. */
static bool tcp_clients_read_some(struct tcp_client *client)
{
	struct tcp_clients *clients = client->clients;
	ssize_t len =
	    stream_read(&client->stream, clients->scratch, sizeof(clients->scratch));

	if (len > 0) {
		frames_add(&client->questions, clients->scratch, len);
		return true;
	}
	if (len < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return true;
	if (len == 0 && !tcp_clients_is_idle(client)) {
		client->said_all = true;	/* it may still wait for answers */
		return true;
	}
	if (len == 0)
		tcp_clients_disconnect(client);
	else
		tcp_clients_close_client(client);
	return false;
}

/* False: the handshake is not over yet, or the client was freed. */
static bool tcp_clients_handshake(struct tcp_client *client)
{
	int done = stream_shake_hands(&client->stream);

	if (done < 0)
		tcp_clients_close_client(client);
	else if (!done)
		tcp_clients_settle(client);
	return done > 0;
}

static void tcp_clients_on_event(void *self, int events)
{
	struct tcp_client *client = self;

	if (client->stream.shaking_hands && !tcp_clients_handshake(client))
		return;
	/* TLS itself knows whether it has unread data */
	if (client->stream.tls)
		events |= LOOP_READ;
	if (events & LOOP_READ && tcp_clients_wants_questions(client) &&
	    !tcp_clients_read_some(client))
		return;
	tcp_clients_take_questions(client);
}

/* ---- places ---- */

/*
 * Several servers of ours may be in one network; unknown clients there may be one and the
 * same.
 */
static bool tcp_clients_are_one_peer(const struct tcp_client *client,
                                     const struct address *peer, bool known)
{
	if (client->known != known)
		return false;
	return known ? address_same_host(&client->peer, peer)
	             : address_same_site(&client->peer, peer);
}

static int tcp_clients_of_peer(const struct tcp_clients *clients,
                               const struct address *peer, bool known)
{
	int count = 0;

	for (const struct tcp_client *at = clients->first; at; at = at->next)
		count += tcp_clients_are_one_peer(at, peer, known);
	return count;
}

/*
 * The class with the lower value is closed first; within a class, the client that was
 * idle for longest.
 */
enum worth { IDLE_STRANGER, IDLE_SERVER, BUSY_STRANGER, BUSY_SERVER };

static enum worth tcp_clients_worth(const struct tcp_client *client)
{
	if (tcp_clients_is_idle(client))
		return client->known ? IDLE_SERVER : IDLE_STRANGER;
	return client->known ? BUSY_SERVER : BUSY_STRANGER;
}

static bool tcp_clients_is_evicted_first(const struct tcp_client *a,
                                         const struct tcp_client *b)
{
	if (tcp_clients_worth(a) != tcp_clients_worth(b))
		return tcp_clients_worth(a) < tcp_clients_worth(b);
	return a->last_ms < b->last_ms;
}

/* True: there is a place. The last descriptors are for the program's own work. */
static bool tcp_clients_has_place(const struct tcp_clients *clients, int fd)
{
	if (descriptors_are_scarce(fd)) {
		errno = EMFILE;
		descriptors_lack("a TCP client");
		return false;
	}
	return clients->count < clients->config.limit;
}

static bool tcp_clients_make_room(struct tcp_clients *clients, bool known)
{
	struct tcp_client *last = clients->first;

	if (!last)
		return false;
	for (struct tcp_client *at = clients->first; at; at = at->next)
		if (tcp_clients_is_evicted_first(at, last))
			last = at;
	if (tcp_clients_worth(last) > (known ? BUSY_STRANGER : IDLE_SERVER))
		return false;
	if (tcp_clients_is_idle(last))
		tcp_clients_close_client(last);
	else
		tcp_clients_reset_client(last);
	return true;
}

static struct tcp_client *client_new(struct tcp_clients *clients, int fd,
                                     const struct address *peer,
                                     const struct stream_tls *tls)
{
	struct tcp_client *client = xcalloc(1, sizeof(*client));
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	client->clients = clients;
	stream_open(&client->stream, fd, tls);
	client->peer = *peer;
	tcp_answers_init(&client->answers);
	client->last_ms = loop_now_ms(clients->loop);
	client->io = loop_io_new(clients->loop, fd, LOOP_READ, tcp_clients_on_event,
	                         client);
	client->timer = loop_timer_new(clients->loop, tcp_clients_on_timer, client);
	client->next = clients->first;
	if (client->next)
		client->next->link = &client->next;
	client->link = &clients->first;
	clients->first = client;
	clients->count++;
	metric_add(clients->config.figures->tcp_clients, 1);
	tcp_clients_settle(client);
	return client;
}

void tcp_clients_admit(struct tcp_clients *clients, int fd,
                       const struct sockaddr_storage *from, const struct stream_tls *tls)
{
	const struct tcp_clients_config *config = &clients->config;
	struct address peer;
	bool known;

	if (!address_from_socket(from, &peer)) {
		close(fd);
		return;
	}
	known = servers_knows(config->servers, &peer);
	if (tcp_clients_of_peer(clients, &peer, known) < config->limit_per_peer &&
	    (tcp_clients_has_place(clients, fd) || tcp_clients_make_room(clients, known)))
		client_new(clients, fd, &peer, tls)->known = known;
	else
		close(fd);
}

void tcp_clients_drain(struct tcp_clients *clients)
{
	clients->draining = true;
}

size_t tcp_clients_busy(const struct tcp_clients *clients)
{
	size_t busy = 0;

	for (const struct tcp_client *at = clients->first; at; at = at->next)
		busy += !tcp_clients_is_idle(at);
	return busy;
}

void tcp_clients_free(struct tcp_clients **clients)
{
	struct tcp_clients *old = *clients;

	*clients = NULL;
	if (!old)
		return;
	while (old->first)
		tcp_clients_close_client(old->first);
	free(old);
}
