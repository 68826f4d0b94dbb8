/*
 * dns_request -- sends one DNS request (a query or a NOTIFY) to a name server and
 * receives the answer.
 *
 * Each request has its own connected UDP socket, on a port that the kernel chooses. The
 * id of the request comes from getrandom(2). mini-DNS accepts only packets with the same
 * id and question, from the server's address and port (RFC 5452; core/forgery.h). If no
 * answer arrives, mini-DNS sends the request up to four more times, after pauses of 0.5,
 * 1, 2 and 4 s. mini-DNS uses TCP if the answer is truncated, if answers over UDP are
 * possibly forged, or if the caller requests TCP. If the caller names a TSIG key,
 * mini-DNS signs the request and accepts only signed answers. At most 500 requests to one
 * server are open at the same time. Further requests wait. mini-DNS sends probes to a
 * silent server at intervals (core/silence.h). Other requests to a silent server end
 * immediately, without an answer. If such a request is a NOTIFY over UDP, mini-DNS first
 * sends the NOTIFY once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/response.h"
#include "dns/address.h"

struct dns_request;
struct dns_requests;
struct figures;
struct loop;
struct servers;

struct dns_request_want {
	int opcode;
	struct name zone;
	struct address server;
	/* name of the key that signs the request; length 0: no signature */
	struct name tsig_key;
	/* timeout of the whole request, from the time when mini-DNS opens the request */
	int timeout_ms;
	bool tcp;			/* use TCP from the start */
};

/*
 * Called at the end of a request. If the kind of RESPONSE is RESPONSE_UNASKED, mini-DNS
 * could not send the request, so the result shows nothing about the server. RESPONSE is
 * NULL if no answer arrived within the timeout, or if mini-DNS did not wait for an answer
 * because the server counts as silent.
 */
typedef void dns_request_fn(void *self, const struct response *response);

struct dns_requests *dns_requests_new(struct loop *loop, struct servers *servers,
                                      const struct figures *figures);
/* End all requests before this call. */
void dns_requests_free(struct dns_requests **requests);
/*
 * Sets HOST as the source address of requests to servers of the same address family. For
 * each family, only the first call counts.
 */
void dns_requests_bind(struct dns_requests *requests, const struct address *host);
/*
 * Opens a non-blocking TCP connection from the source address that dns_requests_bind()
 * has set. Returns the socket, and does not wait until the connection is established. The
 * caller owns the socket. -1: mini-DNS cannot open the connection.
 */
int dns_requests_connect(const struct dns_requests *requests,
                         const struct address *server);
/*
 * Call it when a query from PEER has arrived. After this call, the server with this
 * address no longer counts as silent. If several servers have this address, the call
 * changes nothing.
 */
void dns_requests_note_alive(struct dns_requests *requests, const struct address *peer);
/* True: the server counts as silent for queries (core/silence.h). */
bool dns_requests_are_silent(const struct dns_requests *requests,
                             const struct address *server);
/* Starts a request. Calls FN once, after this call has returned. */
struct dns_request *dns_request_start(struct dns_requests *requests,
                                      const struct dns_request_want *want,
                                      dns_request_fn *fn,
                                      void *self);
void dns_request_cancel(struct dns_request **request);
