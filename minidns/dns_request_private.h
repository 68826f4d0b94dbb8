/*
 * exchange_private -- what the files of an exchange share.
 *
 * dns_request.c sends the question and receives the answer. dns_request_encode.c encodes the
 * question. request_slots.c keeps a place for each server: it limits the open
 * exchanges, queues the others, and knows whether the server is silent. An exchange
 * frees itself before it calls its callback.
 */
#pragma once

#include "dns_request.h"

#include "base/log.h"
#include "core/forgery.h"
#include "core/silence.h"
#include "core/verdict.h"
#include "dns/frames.h"

struct figures;
struct loop_io;
struct loop_timer;

struct exchange {
	struct exchanges *exchanges;
	struct place *place;		/* NULL: its server is not known yet */
	struct exchange *next, **link;	/* in the queue of the place */
	struct exchange_want want;
	struct ask ask;
	struct forgery forgery;
	uint8_t message[FRAME_PREFIX + ASK_MAX];
	size_t message_len;		/* 0: mini-DNS has no key to sign it with */
	exchange_fn *fn;
	void *self;
	bool open;			/* it counts in place->open */
	bool asked;			/* it had a socket to send from */
	/* the last answer without a good signature; fault NULL: there was none */
	struct judgement doubted;
	int fd;				/* -1: none; the exchange waits for its timeout */
	struct loop_io *io;
	struct loop_timer *timer;
	int64_t began_ms;
	int64_t end_ms;			/* when it times out */
	int64_t due_us;			/* when its timer is due */
	int repeat_ms;			/* until it sends the question again; 0: never */
	size_t sent;			/* over TCP */
	uint8_t *in;			/* over TCP: the length and the answer so far */
	size_t in_len;
};

/* A server may ignore NOTIFYs and answer queries. So each kind has a silence of its own. */
enum asked { ASKED_QUERY, ASKED_NOTIFY, ASKED_KINDS };

/* The exchanges with one server: how many are open, and the queue of the others. */
struct place {
	struct address server;
	bool shared;			/* by several servers: it never counts as silent */
	int64_t lower_case_until_ms;	/* core/forgery.h */
	struct silence silence[ASKED_KINDS];
	struct exchange *waiting, **waiting_end;
	int open;
};

struct exchanges {
	struct loop *loop;
	struct servers *servers;	/* with their keys */
	const struct figures *figures;
	struct place *places;
	int place_count;
	unsigned next_place;		/* which place opens an exchange next */
	uint64_t turn;			/* the turn of the loop that `answers` counts in */
	int answers;
	bool opening;			/* open_waiting() runs at the end of the turn */
	struct address hosts[2];
	int host_count;
	struct log_limit unknown_server, mismatched;
};

/* ---- dns_request.c ---- */

void exchange_open(struct exchange *exchange);
/* The server is silent. Ends the exchange at once, without an answer. */
void exchange_spare(struct exchange *exchange);

/* ---- dns_request_encode.c ---- */

/* False: mini-DNS does not know the TSIG key of the server. */
bool exchange_encode(struct exchange *exchange);

/* ---- request_slots.c ---- */

struct place *places_new(void);
/* False: no server of a pool has the address. The table of servers is read again soon. */
bool place_is_known(const struct exchange *exchange);
/* Counts and logs that no server of a pool has the address. */
void place_note_unknown(struct exchange *exchange);
/* Puts the exchange at the end of the queue of its server. */
void place_wait(struct exchange *exchange);
/* Takes the exchange from the open ones or from the queue. */
void place_leave(struct exchange *exchange);
/* The server has answered. */
void place_heard(struct exchange *exchange);
/* The server has not answered within the timeout. */
void place_unanswered(struct exchange *exchange);
/* Counts and logs that the answers over UDP may be forged. */
void place_distrusted(struct exchange *exchange);
/* The server does not echo the case of questions, as far as is known (core/forgery.h). */
bool place_case_not_echoed(const struct exchange *exchange);
void place_note_case_not_echoed(struct exchange *exchange);
