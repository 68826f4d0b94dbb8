/*
 * exchange -- one question to a name server and the one answer to it.
 *
 * Each has a UDP socket of its own, connected, on a port of the kernel's
 * choosing, with an id from getrandom(2): an answer must come from there, to
 * there, with that id and that question (RFC 5452), and anything else is
 * ignored. A datagram that is lost is sent again after 0.5, 1, 2, 4 s. A
 * truncated answer is asked for again over TCP, and so is what a caller says
 * was not heard over UDP. A server that has a TSIG key is asked and heard under its
 * signature only. At most 500 are open to one server, so that a dead one takes no
 * other's place; the rest wait. In a turn of the loop few are opened and few answers
 * are taken, so that a repetition is not late. A server that falls silent is not
 * asked but by a probe now and then (core/silence.h): its callers hear that at once.
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
