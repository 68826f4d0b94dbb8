/*
 * tcp_clients -- the connections of all TCP listeners of a process, by RFC
 * 7766: questions one behind the other without waiting, answers as they are
 * ready (tcp_answers.h has their order), and no client at the cost of others:
 * each holds its own buffer, its own deadline, few questions and transfers at
 * a time, and at most a share of places. If a client comes while all places are taken,
 * or only the program's own descriptors are left (base/descriptors.h), the one that has
 * been idle for longest goes, a stranger's first; and for a server of a pool
 * or of allow_transfer that of a stranger also if it is busy, so that nobody
 * else can keep them out. Of a stranger an IPv6 site is one peer. Who has
 * something to take must take some KiB of it every 20 s (tcp_stall). A connection under TLS
 * (stream.h) is like any other, once hands are shaken; whoever does not get so
 * far in time goes like one that asks nothing.
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
	int limit, limit_per_peer;	/* in this process, over all its listeners */
	int idle_ms;
	int stall_ms;			/* see STALL_BYTES in tcp_clients.c */
};

struct tcp_clients;
struct tcp_clients *tcp_clients_new(struct loop *loop,
                                    const struct tcp_clients_config *config);
void tcp_clients_free(struct tcp_clients **clients);	/* cuts all connections */
/* Takes over FD, a connection that was accepted from FROM, or closes it. TLS or NULL. */
void tcp_clients_admit(struct tcp_clients *clients, int fd,
                       const struct sockaddr_storage *from, const struct stream_tls *tls);
/* We end soon: who asks how long a connection may be idle is told to close it now. */
void tcp_clients_drain(struct tcp_clients *clients);
/* How many have answers still to be sent. */
size_t tcp_clients_busy(const struct tcp_clients *clients);
