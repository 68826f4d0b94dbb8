#include "listener.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/mem.h"
#include "dns/packet.h"
#include "runtime/loop.h"
#include "serve.h"

enum {
	BATCH = 128,
	MAX_QUESTION = 4096,		/* longer datagrams are dropped */
	MAX_ANSWER = PACKET_UDP_MAX,
	SOCKET_BUFFER = 4 * 1024 * 1024,
	/* batches in one turn, so that others have their turn */
	ROUNDS = 2,
};

/* Room for the local address of a datagram, as the kernel passes it in and out. */
union control {
	size_t aligned;
	uint8_t v4[CMSG_SPACE(sizeof(struct in_pktinfo))];
	uint8_t v6[CMSG_SPACE(sizeof(struct in6_pktinfo))];
};

struct datagram {
	struct sockaddr_storage peer;
	union control control;
	size_t control_len;
};

struct udp_listener {
	struct loop *loop;
	struct serve *serve;
	struct loop_io *io;
	int fd;
	size_t due;			/* number of answers that will come later */
	struct due *spare;		/* memory for the next such answer */
	bool closed;
	/* in */
	struct mmsghdr in[BATCH];
	struct iovec in_vec[BATCH];
	struct datagram from[BATCH];
	uint8_t questions[BATCH][MAX_QUESTION];
	/* out */
	struct mmsghdr out[BATCH];
	struct iovec out_vec[BATCH];
	struct datagram to[BATCH];
	uint8_t answers[BATCH][MAX_ANSWER];
	unsigned out_count;
	bool flush_is_due;
};

/* One question that waits for the database. */
struct due {
	struct udp_listener *listener;
	struct datagram asker;
};

/* ---- sockets ---- */

static bool udp_listener_set_option(int fd, int level, int option, int value)
{
	return !setsockopt(fd, level, option, &value, sizeof(value));
}

/*
 * Only a socket that listens on all addresses must learn the address of each question.
 * Answers are never fragmented, whatever a forged ICMP message says about the path (RFC
 * 9715 3.1). Over IPv6 no answer is long enough.
 */
static bool udp_listener_set_udp_options(int fd, const struct address *address,
                                         int family)
{
	bool any = address_is_any(address);

	if (family == AF_INET6)
		return !any || udp_listener_set_option(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO,
		                                       1);
	return udp_listener_set_option(fd, IPPROTO_IP, IP_MTU_DISCOVER,
	                               IP_PMTUDISC_PROBE) &&
	       (!any || udp_listener_set_option(fd, IPPROTO_IP, IP_PKTINFO, 1));
}

int listener_socket(const struct address *address, int type, struct why *why)
{
	struct sockaddr_storage name;
	socklen_t len = address_to_socket(address, &name);
	char text[ADDRESS_TEXT];
	int fd = socket(name.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd >= 0 && udp_listener_set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1) &&
	    udp_listener_set_option(fd, SOL_SOCKET, SO_REUSEPORT, 1) &&
	    (name.ss_family == AF_INET ||
	     udp_listener_set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1)) &&
	    (type != SOCK_DGRAM ||
	     udp_listener_set_udp_options(fd, address, name.ss_family)) &&
	    !bind(fd, (struct sockaddr *)&name, len))
		return fd;
	descriptors_lack("a listening socket");
	address_format(address, text);
	fail(why, ERR_UNREACHABLE, "cannot listen on %s %s port %u: %s", text,
	     type == SOCK_DGRAM ? "UDP" : "TCP", address->port, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* ---- answers ---- */

static void udp_listener_flush(void *self)
{
	struct udp_listener *listener = self;
	unsigned sent = 0;

	listener->flush_is_due = false;
	while (sent < listener->out_count) {
		int count = sendmmsg(listener->fd, listener->out + sent,
		                     listener->out_count - sent, 0);

		/* the first datagram cannot be sent: UDP may lose it */
		sent += count > 0 ? count : 1;
	}
	listener->out_count = 0;
}

static void udp_listener_put_answer(struct udp_listener *listener,
                                    const struct datagram *asker,
                                    const struct reply *reply)
{
	unsigned i = listener->out_count;
	struct msghdr *header = &listener->out[i].msg_hdr;

	if (listener->closed || !reply->len || reply->len > MAX_ANSWER)
		return;
	memcpy(listener->answers[i], reply->data, reply->len);
	listener->out_vec[i].iov_len = reply->len;
	listener->to[i] = *asker;
	header->msg_controllen = asker->control_len;
	header->msg_namelen = asker->peer.ss_family == AF_INET
	                          ? sizeof(struct sockaddr_in)
	                          : sizeof(struct sockaddr_in6);
	if (++listener->out_count == BATCH) {
		udp_listener_flush(listener);
	} else if (!listener->flush_is_due) {
		listener->flush_is_due = true;
		loop_later(listener->loop, udp_listener_flush, listener);
	}
}

static void listener_free(struct udp_listener *listener)
{
	if (listener->due || !listener->closed)
		return;
	free(listener->spare);
	free(listener);
}

static void udp_listener_on_reply(void *self, const struct reply *reply)
{
	struct due *due = self;
	struct udp_listener *listener = due->listener;

	udp_listener_put_answer(listener, &due->asker, reply);
	free(due);
	listener->due--;
	listener_free(listener);
}

/* Takes the spare memory for the request that waits. */
static void udp_listener_answer_later(struct udp_listener *listener,
                                      const struct datagram *asker)
{
	*listener->spare = (struct due){ .listener = listener, .asker = *asker };
	listener->spare = NULL;
	listener->due++;
}

/* ---- questions ---- */

static void udp_listener_serve_datagram(struct udp_listener *listener,
                                        const struct datagram *from,
                                        const uint8_t *packet, size_t len)
{
	struct serve_request request = {
		.packet = packet, .len = len, .later = udp_listener_on_reply,
	};
	struct reply reply;
	enum serve_verdict verdict = SERVE_SILENCE;

	if (!listener->spare)
		listener->spare = xmalloc(sizeof(*listener->spare));
	request.self = listener->spare;
	if (address_from_socket(&from->peer, &request.peer) && request.peer.port)
		verdict = serve(listener->serve, &request, &reply);
	if (verdict == SERVE_NOW)
		udp_listener_put_answer(listener, from, &reply);
	else if (verdict == SERVE_LATER)
		udp_listener_answer_later(listener, from);
}

/* On the way out the kernel chooses the interface again. */
static void udp_listener_keep_control(struct datagram *from, size_t len)
{
	struct cmsghdr *header = (struct cmsghdr *)&from->control;
	struct in_pktinfo *v4 = (struct in_pktinfo *)CMSG_DATA(header);
	struct in6_pktinfo *v6 = (struct in6_pktinfo *)CMSG_DATA(header);

	from->control_len = len;
	if (len < sizeof(*header))
		from->control_len = 0;
	else if (header->cmsg_level == IPPROTO_IP)
		v4->ipi_ifindex = 0;
	else if (!IN6_IS_ADDR_LINKLOCAL(&v6->ipi6_addr))
		v6->ipi6_ifindex = 0;
}

static void udp_listener_prepare_in(struct udp_listener *listener)
{
	for (int i = 0; i < BATCH; i++) {
		listener->in[i].msg_hdr.msg_namelen = sizeof(struct sockaddr_storage);
		listener->in[i].msg_hdr.msg_controllen = sizeof(union control);
	}
}

static void udp_listener_on_readable(void *self, int events)
{
	struct udp_listener *listener = self;

	(void)events;
	for (int round = 0; round < ROUNDS; round++) {
		int count;

		udp_listener_prepare_in(listener);
		count = recvmmsg(listener->fd, listener->in, BATCH, MSG_DONTWAIT, NULL);
		for (int i = 0; i < count; i++) {
			const struct msghdr *header = &listener->in[i].msg_hdr;

			if (header->msg_flags & (MSG_TRUNC | MSG_CTRUNC))
				continue;
			udp_listener_keep_control(&listener->from[i],
			                          header->msg_controllen);
			udp_listener_serve_datagram(listener, &listener->from[i],
			                            listener->questions[i],
			                            listener->in[i].msg_len);
		}
		if (count < BATCH)
			return;
	}
}

static void udp_listener_set_up_batches(struct udp_listener *listener)
{
	for (int i = 0; i < BATCH; i++) {
		listener->in_vec[i] =
		    (struct iovec){ listener->questions[i], MAX_QUESTION };
		listener->in[i].msg_hdr = (struct msghdr){
			.msg_name = &listener->from[i].peer,
			.msg_iov = &listener->in_vec[i],
			.msg_iovlen = 1,
			.msg_control = &listener->from[i].control,
		};
		listener->out_vec[i] = (struct iovec){ listener->answers[i], 0 };
		listener->out[i].msg_hdr = (struct msghdr){
			.msg_name = &listener->to[i].peer,
			.msg_iov = &listener->out_vec[i],
			.msg_iovlen = 1,
			.msg_control = &listener->to[i].control,
		};
	}
}

enum err udp_listener_open(struct loop *loop, struct serve *serve,
                           const struct address *address, struct udp_listener **listener,
                           struct why *why)
{
	struct udp_listener *new;
	int fd = listener_socket(address, SOCK_DGRAM, why);

	if (fd < 0)
		return ERR_UNREACHABLE;
	udp_listener_set_option(fd, SOL_SOCKET, SO_RCVBUF, SOCKET_BUFFER);
	udp_listener_set_option(fd, SOL_SOCKET, SO_SNDBUF, SOCKET_BUFFER);
	new = xcalloc(1, sizeof(*new));
	new->loop = loop;
	new->serve = serve;
	new->fd = fd;
	udp_listener_set_up_batches(new);
	new->io = loop_io_new(loop, fd, LOOP_READ, udp_listener_on_readable, new);
	*listener = new;
	return OK;
}

void udp_listener_close(struct udp_listener **listener)
{
	struct udp_listener *old = *listener;

	*listener = NULL;
	if (!old)
		return;
	udp_listener_flush(old);
	loop_later_cancel(old->loop, old);
	loop_io_free(&old->io);
	close(old->fd);
	old->closed = true;
	listener_free(old);
}
