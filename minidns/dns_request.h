/*
 * dns_request -- one question to a name server and the one answer to it.
 *
 * Each request has a connected UDP socket of its own, on a port that the kernel
 * chooses, and an id from getrandom(2). mini-DNS ignores all packets but those of the
 * server's address and port with this id and this question (RFC 5452; core/forgery.h).
 * It sends the question again after 0.5, 1, 2, 4 s, and over TCP if the answer is
 * truncated or the caller asks for TCP. If the server has a TSIG key, mini-DNS signs
 * the question and accepts signed answers only. At most 500 requests with one server
 * are open; the rest wait. A silent server gets a probe now and then (core/silence.h);
 * the other requests with it end at once.
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
	struct name tsig_key;		/* to sign with; of length 0: none */
	int timeout_ms;			/* of all of it, from when it is open */
	bool tcp;			/* from the beginning */
};

/*
 * RESPONSE_UNASKED: mini-DNS could not ask, so nothing is known of the server. NULL: no
 * answer within the timeout, or the server is known to be silent and was not asked.
 */
typedef void dns_request_fn(void *self, const struct response *response);

struct dns_requests *dns_requests_new(struct loop *loop, struct servers *servers,
                                      const struct figures *figures);
void dns_requests_free(struct dns_requests **requests);	/* none may be open */
/* Questions leave from HOST if its family is that of the server. At most one of each. */
void dns_requests_bind(struct dns_requests *requests, const struct address *host);
/*
 * A TCP connection of the caller's own, from where questions leave, that is under way and
 * does not block; -1: there is none.
 */
int dns_requests_connect(const struct dns_requests *requests,
                         const struct address *server);
/* A question came from PEER. */
void dns_requests_note_alive(struct dns_requests *requests, const struct address *peer);
/* In seconds since 1970; 0: as far as is known it answers queries. */
int64_t dns_requests_silent_since(const struct dns_requests *requests,
                                  const struct address *server);
/* The callback comes once, and not from within this call. */
struct dns_request *dns_request_start(struct dns_requests *requests,
                                      const struct dns_request_want *want,
                                      dns_request_fn *fn,
                                      void *self);
void dns_request_cancel(struct dns_request **request);
