/*
 * listener -- the sockets on which questions come: one of UDP and one of TCP
 * for each address, in each process (SO_REUSEPORT: the kernel shares out).
 *
 * UDP in batches (recvmmsg, sendmmsg), answered from the address that was
 * asked. Of TCP only the accepting: tcp_clients.h has the connections.
 */
#pragma once

#include "base/err.h"
#include "dns/address.h"

struct loop;
struct serve;
struct stream_tls;
struct tcp_clients;
struct tcp_listener;
struct udp_listener;

enum err udp_listener_open(struct loop *loop, struct serve *serve,
                           const struct address *address, struct udp_listener **listener,
                           struct why *why);
/* Answers that are due afterwards are dropped; the memory stays until they came. */
void udp_listener_close(struct udp_listener **listener);

/* The connections go to CLIENTS, under TLS unless it is NULL. */
enum err tcp_listener_open(struct loop *loop, struct tcp_clients *clients,
                           const struct address *address, const struct stream_tls *tls,
                           struct tcp_listener **listener, struct why *why);
void tcp_listener_close(struct tcp_listener **listener);

/* A bound, non-blocking socket of TYPE; -1 and why. */
int listener_socket(const struct address *address, int type, struct why *why);
