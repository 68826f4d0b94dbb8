/*
 * dns_tcp -- a TCP connection that carries DNS messages to and from a server (RFC 1035
 * 4.2.2). This module passes each message to the owner of the connection, and reports the
 * end of the connection once.
 *
 * In each turn of the event loop, this module reads at most one message. The owner frees
 * the connection, and may free it even within a callback. After the owner has freed the
 * connection, this module calls no callback.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct dns_tcp;
struct loop;

enum dns_tcp_end {
	DNS_TCP_NO_SOCKET,		/* the caller passed -1 as FD */
	DNS_TCP_REFUSED,		/* the server refused the connection */
	DNS_TCP_BROKEN,			/* the server closed or reset the connection */
	DNS_TCP_SILENT,			/* no message arrived within silence_ms */
	DNS_TCP_LATE,			/* the time limit whole_ms is over */
};

/* The event loop calls the callbacks. No function of this file calls them directly. */
struct dns_tcp_listener {
	/* DATA is valid until the callback returns. */
	void (*message)(void *self, const uint8_t *data, size_t len);
	/* The connection has ended. The owner must free it. */
	void (*end)(void *self, enum dns_tcp_end end);
	void *self;
};

/*
 * Takes ownership of FD. FD may still be connecting (client_socket.h). If FD is -1, this
 * module reports the end (DNS_TCP_NO_SOCKET) in a later turn of the loop.
 */
struct dns_tcp *dns_tcp_new(struct loop *loop, int fd,
                            const struct dns_tcp_listener *listener);
void dns_tcp_free(struct dns_tcp **tcp);
/* Sends a copy of DATA, a message of at most 65535 octets. */
void dns_tcp_send(struct dns_tcp *tcp, const uint8_t *data, size_t len);
/*
 * From now on, each message must arrive within SILENCE_MS after the previous message. All
 * messages must arrive within WHOLE_MS after this call. Before this call, there is no
 * time limit.
 */
void dns_tcp_set_deadlines(struct dns_tcp *tcp, int64_t silence_ms, int64_t whole_ms);
