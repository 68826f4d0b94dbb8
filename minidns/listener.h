/*
 * listener -- the sockets that receive queries. Each process has one UDP and one TCP
 * socket for each address (SO_REUSEPORT: the kernel distributes the load).
 *
 * UDP sockets receive and send messages in batches (recvmmsg, sendmmsg). The source
 * address of an answer is the address that received the query. A TCP listener only
 * accepts connections. tcp_clients.h handles the connections.
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
/*
 * Closes the socket. Drops the answers that become ready later. Frees the memory after
 * the last of these answers.
 */
void udp_listener_close(struct udp_listener **listener);

/*
 * Opens a TCP listener that passes its connections to CLIENTS. TLS NULL: the connections
 * do not use TLS.
 */
enum err tcp_listener_open(struct loop *loop, struct tcp_clients *clients,
                           const struct address *address, const struct stream_tls *tls,
                           struct tcp_listener **listener, struct why *why);
void tcp_listener_close(struct tcp_listener **listener);

/*
 * Returns a bound, non-blocking socket of TYPE. After an error, returns -1, and *why
 * contains the reason.
 */
int listener_socket(const struct address *address, int type, struct why *why);
