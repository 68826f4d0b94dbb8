/*
 * exchange -- one question to a name server and the one answer to it.
 *
 * Each exchange has a connected UDP socket of its own, on a port that the kernel
 * chooses, and an id from getrandom(2). mini-DNS ignores all packets but those of the
 * server's address and port with this id and this question (RFC 5452; core/forgery.h).
 * It sends the question again after 0.5, 1, 2, 4 s, and over TCP if the answer is
 * truncated or the caller asks for TCP. If the server has a TSIG key, mini-DNS signs
 * the question and accepts signed answers only. At most 500 exchanges with one server
 * are open; the rest wait. A silent server gets a probe now and then (core/silence.h);
 * the other exchanges with it end at once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/verdict.h"
#include "dns/address.h"

struct exchange;
struct exchanges;
struct figures;
struct loop;
struct servers;

struct exchange_want {
	int opcode;
	struct name zone;
	struct address server;
	struct name tsig_key;		/* to sign with; of length 0: none */
	int timeout_ms;			/* of all of it, from when it has a place */
	bool tcp;			/* from the beginning */
};

/*
 * VERDICT_UNASKED: mini-DNS could not ask the server, so nothing is known about it. NULL:
 * no answer within the timeout, or the server is known to be silent and was not asked.
 */
typedef void exchange_fn(void *self, const struct judgement *judgement);

struct exchanges *exchanges_new(struct loop *loop, struct servers *servers,
                                const struct figures *figures);
void exchanges_free(struct exchanges **exchanges);	/* none may be open */
/* Questions leave from HOST if its family is that of the server. At most one of each. */
void exchanges_bind(struct exchanges *exchanges, const struct address *host);
/*
 * A TCP connection of the caller's own, from where questions leave, that is under way and
 * does not block; -1: there is none.
 */
int exchanges_connect(const struct exchanges *exchanges, const struct address *server);
/* A question came from PEER. */
void exchanges_heard_from(struct exchanges *exchanges, const struct address *peer);
/* In seconds since 1970; 0: as far as is known it answers queries. */
int64_t exchanges_silent_since(const struct exchanges *exchanges,
                               const struct address *server);
/* The callback comes once, and not from within this call. */
struct exchange *exchange_start(struct exchanges *exchanges,
                                const struct exchange_want *want, exchange_fn *fn,
                                void *self);
void exchange_cancel(struct exchange **exchange);
