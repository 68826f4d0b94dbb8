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
#include "net/client_socket.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"

enum {
	FIRST_REPEAT_MS = 500,
	MAX_REPEAT_MS = 4000,
	READS = 16,			/* reads from one socket at a time */
	ANSWERS_A_TURN = 96,		/* from all sockets; one costs some 15 us */
	/* time until the database must have a new server */
	UNKNOWN_MS = 3000,
	CHECK_AGAIN_MS = 100,
};

static void dns_request_open(struct dns_request *request);
static void dns_request_skip(struct dns_request *request);

struct dns_requests *dns_requests_new(struct loop *loop, struct servers *servers,
                                      const struct figures *figures)
{
	struct dns_requests *requests = xcalloc(1, sizeof(*requests));

	requests->loop = loop;
	requests->servers = servers;
	requests->figures = figures;
	requests->all_slots = request_slots_new();
	requests->open = dns_request_open;
	requests->skip = dns_request_skip;
	return requests;
}

void dns_requests_free(struct dns_requests **requests)
{
	struct dns_requests *old = *requests;

	*requests = NULL;
	if (!old)
		return;
	for (int i = 0; i < old->server_count; i++)
		bug_if(old->all_slots[i].open || old->all_slots[i].waiting);
	loop_later_cancel(old->loop, old);
	free(old->all_slots);
	free(old);
}

static const struct address *dns_request_host(const struct dns_requests *requests,
                                              const struct address *server)
{
	for (int i = 0; i < requests->host_count; i++)
		if (requests->hosts[i].bits == server->bits)
			return &requests->hosts[i];
	return NULL;
}

void dns_requests_bind(struct dns_requests *requests, const struct address *host)
{
	if (address_is_any(host) || dns_request_host(requests, host))
		return;
	requests->hosts[requests->host_count] = *host;
	requests->hosts[requests->host_count++].port = 0;
}

/* ---- sockets ---- */

static int dns_request_socket(struct dns_request *request, int type)
{
	const struct address *server = &request->want.server;
	int fd = client_socket_open(server, type);

	request->asked |= fd >= 0;
	return client_socket_connect(fd, server,
	                             dns_request_host(request->requests, server));
}

int dns_requests_connect(const struct dns_requests *requests,
                         const struct address *server)
{
	return client_socket_connect(client_socket_open(server, SOCK_STREAM), server,
	                             dns_request_host(requests, server));
}

static void dns_request_close_socket(struct dns_request *request)
{
	loop_io_free(&request->io);
	if (request->fd >= 0)
		close(request->fd);
	request->fd = -1;
	free(request->in);
	request->in = NULL;
	request->in_len = request->sent = 0;
}

/* ---- the end ---- */

static void dns_request_free(struct dns_request *request)
{
	if (request->slots)
		request_slots_leave(request);
	dns_request_close_socket(request);
	loop_timer_free(&request->timer);
	explicit_bzero(&request->ask.chain, sizeof(request->ask.chain));
	free(request);
}

static void dns_request_finish(struct dns_request *request,
                               const struct response *response)
{
	dns_request_fn *fn = request->fn;
	void *self = request->self;

	if (request->asked)
		(response ? request_slots_answered : request_slots_unanswered)(request);
	dns_request_free(request);
	fn(self, response);
}

/* RESPONSE: the accepted answer; NULL: there was no answer. */
static void dns_request_note_case(struct dns_request *request,
                                  const struct response *response)
{
	if (forgery_case_not_echoed(&request->forgery, response,
	                            &request->slots->case_suspicions))
		request_slots_note_case_not_echoed(request);
}

void dns_request_cancel(struct dns_request **request)
{
	if (*request)
		dns_request_free(*request);
	*request = NULL;
}

static void dns_request_set_timer(struct dns_request *request, int64_t after_ms)
{
	request->due_us = clock_us() + 1000 * after_ms;
	loop_timer_set(request->timer, after_ms);
}

/* ---- TCP ---- */

static bool dns_request_tcp_send(struct dns_request *request)
{
	size_t left = FRAME_PREFIX + request->message_len - request->sent;
	ssize_t sent;

	if (!left)
		return true;
	sent = send(request->fd, request->message + request->sent, left, MSG_NOSIGNAL);
	if (sent < 0)
		return errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
	request->sent += sent;
	if ((size_t)sent == left)
		loop_io_set(request->io, LOOP_READ);
	return true;
}

static bool dns_request_tcp_read(struct dns_request *request)
{
	size_t wanted = frame_wanted(request->in, request->in_len);
	ssize_t len = recv(request->fd, request->in + request->in_len,
	                   wanted - request->in_len, 0);

	if (len < 0)
		return errno == EAGAIN || errno == EINTR;
	request->in_len += len;
	return len > 0;
}

static bool dns_request_tcp_is_complete(const struct dns_request *request)
{
	return request->in_len == frame_wanted(request->in, request->in_len);
}

static void dns_request_finish_tcp(struct dns_request *request,
                                   const struct response *response)
{
	dns_request_note_case(request, response);
	dns_request_finish(request, response);
}

/* False: the request is over. */
static bool dns_request_receive_tcp(struct dns_request *request)
{
	struct response response;

	for (int i = 0; i < 2 && !dns_request_tcp_is_complete(request); i++)
		if (!dns_request_tcp_read(request)) {
			/* the request waits for its timeout */
			dns_request_close_socket(request);
			return true;
		}
	if (!dns_request_tcp_is_complete(request))
		return true;
	response = response_read(&request->ask, request->in + FRAME_PREFIX,
	                         request->in_len - FRAME_PREFIX, clock_unix());
	if (response.fault)
		/* over TCP no other host can answer */
		response.kind = response.is_unsigned_absence ? RESPONSE_ABSENT
		                                             : RESPONSE_FAILED;
	if (response.kind == RESPONSE_MISMATCH)
		/* not an answer to this request; another message may follow */
		request->in_len = 0;
	else if (response.kind == RESPONSE_TRUNCATED)
		dns_request_close_socket(request);	/* an invalid message over TCP */
	else
		dns_request_finish_tcp(request, &response);
	return response.kind == RESPONSE_MISMATCH ||
	       response.kind == RESPONSE_TRUNCATED;
}

static void dns_request_on_tcp(void *self, int events)
{
	struct dns_request *request = self;

	if (events & LOOP_WRITE && !dns_request_tcp_send(request))
		dns_request_close_socket(request);
	else if (events & LOOP_READ)
		dns_request_receive_tcp(request);
}

static void dns_request_open_tcp(struct dns_request *request)
{
	int64_t left_ms = request->end_ms - loop_now_ms(request->requests->loop);

	dns_request_close_socket(request);
	dns_request_set_timer(request, left_ms > 0 ? left_ms : 0);
	request->repeat_ms = 0;
	request->forgery.link = FORGERY_TCP;
	request->fd = dns_request_socket(request, SOCK_STREAM);
	if (request->fd < 0)
		return;
	request->in = xmalloc(FRAME_PREFIX + PACKET_MAX);
	request->io = loop_io_new(request->requests->loop, request->fd,
	                          LOOP_READ | LOOP_WRITE, dns_request_on_tcp, request);
}

/* ---- UDP ---- */

/* A better signed answer may still come. If it does not, this was the answer. */
static void dns_request_doubt(struct dns_request *request,
                              const struct response *response)
{
	if (!response->fault)
		return;
	request->doubted = *response;
	request->doubted.kind = RESPONSE_FAILED;
}

static void dns_request_finish_unanswered(struct dns_request *request)
{
	static const struct response unasked = {
		.kind = RESPONSE_UNASKED,
		.fault = "was not contacted: mini-DNS has no free socket",
	};
	struct response doubted = request->doubted;

	dns_request_note_case(request, NULL);
	if (!request->asked)
		dns_request_finish(request, &unasked);
	else
		dns_request_finish(request, doubted.fault ? &doubted : NULL);
}

static void dns_request_leave_udp(struct dns_request *request)
{
	request_slots_distrusted(request);
	dns_request_open_tcp(request);
}

static void dns_request_accept(struct dns_request *request,
                               const struct response *response)
{
	dns_request_note_case(request, response);
	if (response->kind == RESPONSE_TRUNCATED) {
		request_slots_answered(request);
		dns_request_open_tcp(request);
	} else {
		dns_request_finish(request, response);
	}
}

/* False: the request has ended, or continues over TCP. */
static bool dns_request_take_datagram(struct dns_request *request, const uint8_t *data,
                                      size_t len)
{
	struct response response = response_read(&request->ask, data, len, clock_unix());
	enum forgery_match match = forgery_match_of(&response);

	if (match == FORGERY_WRONG)
		metric_add(request->requests->figures->answers_wrong, 1);
	switch (forgery_step(&request->forgery, match)) {
	case FORGERY_WAIT:
		dns_request_doubt(request, &response);
		return true;
	case FORGERY_LEAVE:
		dns_request_leave_udp(request);
		return false;
	case FORGERY_TAKE:
		dns_request_accept(request, &response);
	}
	return false;
}

/*
 * False: the request has ended, or continues over TCP. An ICMP error says nothing about
 * the zone: the timeout decides.
 */
static bool dns_request_receive_udp(struct dns_request *request)
{
	uint8_t data[4096];

	for (int i = 0; i < READS; i++) {
		ssize_t len = recv(request->fd, data, sizeof(data), 0);

		if (len < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return true;
		if (len >= 0 && !dns_request_take_datagram(request, data, len))
			return false;
	}
	return true;
}

/*
 * True: the request may read now. Hundreds of answers may arrive together. The rest
 * stays in the sockets until the next turn, so that timers are not late.
 */
static bool dns_request_may_receive(struct dns_requests *requests)
{
	uint64_t turn = loop_turn(requests->loop);

	if (requests->turn != turn)
		requests->answers = 0;
	requests->turn = turn;
	return requests->answers++ < ANSWERS_A_TURN;
}

static void dns_request_on_udp(void *self, int events)
{
	struct dns_request *request = self;

	(void)events;
	if (dns_request_may_receive(request->requests))
		dns_request_receive_udp(request);
}

static void dns_request_send_datagram(struct dns_request *request)
{
	if (send(request->fd, request->message + FRAME_PREFIX, request->message_len,
	         MSG_NOSIGNAL) < 0)
		log_debug("datagram not sent: reason=\"%s\"", strerror(errno));
}

/* Sets the timer to the next repetition, or to the end of the try. */
static void dns_request_wait(struct dns_request *request)
{
	int64_t left_ms = request->end_ms - loop_now_ms(request->requests->loop);
	int64_t wait_ms = request->repeat_ms && request->repeat_ms < left_ms
				  ? request->repeat_ms : left_ms;

	dns_request_set_timer(request, wait_ms > 0 ? wait_ms : 0);
}

/* If there is no socket, tries again later, at the time of the next repetition. */
static void dns_request_open_udp(struct dns_request *request)
{
	request->fd = dns_request_socket(request, SOCK_DGRAM);
	request->repeat_ms = FIRST_REPEAT_MS;
	if (request->fd >= 0) {
		request->io = loop_io_new(request->requests->loop, request->fd,
		                          LOOP_READ, dns_request_on_udp, request);
		dns_request_send_datagram(request);
	}
	dns_request_wait(request);
}

/*
 * Reads answers that came while the process was busy: timers are handled before sockets.
 */
static bool dns_request_receive(struct dns_request *request)
{
	if (request->fd < 0)
		return true;
	return request->in ? dns_request_receive_tcp(request)
	                   : dns_request_receive_udp(request);
}

/* If the server is unknown, the list of servers is read again, because it may be new. */
static void dns_request_seek_slot(struct dns_request *request)
{
	static const struct response unknown = {
		.kind = RESPONSE_UNASKED,
		.fault = "was not contacted: the database has no server with this "
		         "address",
	};
	int64_t left_ms = request->end_ms - loop_now_ms(request->requests->loop);

	if (request_slots_is_known(request)) {
		request_slots_wait(request);
	} else if (left_ms > 0) {
		dns_request_set_timer(request, left_ms < CHECK_AGAIN_MS ? left_ms
		                                                        : CHECK_AGAIN_MS);
	} else {
		request_slots_note_unknown(request);
		dns_request_finish(request, &unknown);
	}
}

static void dns_request_on_timer(void *self)
{
	static const struct response keyless = {
		.kind = RESPONSE_UNASKED,
		.fault = "has a tsig_key in the settings, but mini-DNS has no TSIG key "
		         "with this name",
	};
	struct dns_request *request = self;

	metric_observe_us(request->requests->figures->timer_late_us,
	                  clock_us() - request->due_us);
	if (!request->slots) {
		dns_request_seek_slot(request);
		return;
	}
	if (!request->message_len) {
		dns_request_finish(request, &keyless);
		return;
	}
	if (!dns_request_receive(request))
		return;
	if (loop_now_ms(request->requests->loop) >= request->end_ms ||
	    !request->repeat_ms) {
		dns_request_finish_unanswered(request);
		return;
	}
	if (request->fd < 0) {
		dns_request_open_udp(request);
		return;
	}
	if (request->doubted.is_unsigned_absence) {
		dns_request_open_tcp(request);
		return;
	}
	dns_request_send_datagram(request);
	request->repeat_ms =
	    request->repeat_ms < MAX_REPEAT_MS ? 2 * request->repeat_ms : 0;
	dns_request_wait(request);
}

/* ---- the beginning ---- */

static void dns_request_open(struct dns_request *request)
{
	struct dns_requests *requests = request->requests;

	request->began_ms = loop_now_ms(requests->loop);
	request->end_ms = request->began_ms + request->want.timeout_ms;
	if (!dns_request_encode(request))
		dns_request_set_timer(request, 0);
	else if (request->want.tcp)
		dns_request_open_tcp(request);
	else
		dns_request_open_udp(request);
}

/*
 * Sends a NOTIFY to a silent server once, without waiting for the answer. Some servers
 * never answer but do listen, and a server that has just come back learns the change
 * earlier. It costs one datagram.
 */
static void dns_request_skip(struct dns_request *request)
{
	metric_add(request->requests->figures->exchanges_spared, 1);
	if (request->want.opcode == OPCODE_NOTIFY && !request->want.tcp &&
	    dns_request_encode(request)) {
		request->fd = dns_request_socket(request, SOCK_DGRAM);
		if (request->fd >= 0)
			dns_request_send_datagram(request);
	}
	request->asked = false;
	dns_request_finish(request, NULL);
}

struct dns_request *dns_request_start(struct dns_requests *requests,
                                      const struct dns_request_want *want,
                                      dns_request_fn *fn,
                                      void *self)
{
	struct dns_request *request = xcalloc(1, sizeof(*request));

	request->requests = requests;
	request->want = *want;
	request->fn = fn;
	request->self = self;
	request->fd = -1;
	request->timer = loop_timer_new(requests->loop, dns_request_on_timer, request);
	request->end_ms = loop_now_ms(requests->loop) + UNKNOWN_MS;
	dns_request_seek_slot(request);
	return request;
}
