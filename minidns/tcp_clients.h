/*
 * tcp_clients -- the connections of all TCP listeners of a process (RFC 7766). A client
 * may send queries without waiting for answers. The process sends each answer when the
 * answer is ready (tcp_answers.h defines the order). Each client has its own buffer and
 * its own timeouts. Limits on the queries, transfers and connections of each client
 * prevent one client from slowing down other clients.
 */
#pragma once

#include <stddef.h>

struct figures;
struct loop;
struct serve;
struct servers;
struct sockaddr_storage;
struct stream_tls;

struct tcp_clients_config {
	struct serve *serve;
	const struct servers *servers;
	const struct figures *figures;
	/* maximum numbers of connections of this process, in total and from each peer */
	int limit, limit_per_peer;
	int idle_ms;
	/* time in which a client must accept STALL_BYTES (tcp_clients.c) */
	int stall_ms;
};

struct tcp_clients;
struct tcp_clients *tcp_clients_new(struct loop *loop,
                                    const struct tcp_clients_config *config);
void tcp_clients_free(struct tcp_clients **clients);	/* closes all connections */
/*
 * Takes ownership of FD, a connection accepted from FROM. TLS NULL: no TLS. If the peer
 * already has limit_per_peer connections, the process closes FD. For unknown clients, an
 * IPv6 site (/56) counts as one peer.
 *
 * If all places are taken, or only the program's reserved descriptors are left
 * (base/descriptors.h), the process closes the connection that has been idle longest. The
 * process closes connections of unknown clients first. To admit a server of a pool or of
 * allow_transfer, the process closes even a busy connection of an unknown client. If no
 * connection can be closed, the process closes FD.
 *
 * In each period of tcp_stall (20 s by default), a client must accept at least 4 KiB of
 * its answers. Otherwise the process closes the connection. A TLS client (stream.h)
 * counts as idle during its handshake.
 */
void tcp_clients_admit(struct tcp_clients *clients, int fd,
                       const struct sockaddr_storage *from, const struct stream_tls *tls);
/*
 * Call it when this process ends soon. If a client asks for the idle timeout, the answer
 * contains the timeout 0, so that the client closes the connection immediately.
 */
void tcp_clients_drain(struct tcp_clients *clients);
/* Returns the number of clients that have not received all their answers. */
size_t tcp_clients_busy(const struct tcp_clients *clients);
