/*
 * exchange_private -- what these files share: exchange.c asks and hears, exchange_ask.c
 * makes the message, and exchange_place.c says when.
 */
#pragma once

#include "exchange.h"

#include "core/forgery.h"
#include "core/rare.h"
#include "core/silence.h"
#include "core/verdict.h"
#include "dns/frames.h"

struct figures;
struct loop_io;
struct loop_timer;

struct exchange {
	struct exchanges *exchanges;
	struct place *place;		/* NULL: its server is not known yet */
	struct exchange *next, **link;	/* while it waits for its place */
	struct exchange_want want;
	struct ask ask;
	struct forgery forgery;
	uint8_t message[FRAME_PREFIX + ASK_MAX];
	size_t message_len;		/* 0: it cannot be signed */
	exchange_fn *fn;
	void *self;
	bool open;
	bool asked;			/* a socket was there to ask with */
	/* for want of a good signature; fault NULL: none was */
	struct judgement doubted;
	/* -1: refused at once, only the timeout is left */
	int fd;
	struct loop_io *io;
	struct loop_timer *timer;
	int64_t began_ms;
	int64_t end_ms, due_us;		/* its last moment; the timer's */
	int repeat_ms;
	size_t sent;			/* over TCP */
	uint8_t *in;			/* over TCP: the length and the answer so far */
	size_t in_len;
};

/* A server may ignore NOTIFYs and answer queries: its silence is judged by itself. */
enum asked { ASKED_QUERY, ASKED_NOTIFY, ASKED_KINDS };

/* Who may be out to one server, and who waits for one of them to end. */
struct place {
	struct address server;
	bool shared;			/* by several: none is known to be silent */
	int64_t loose_until_ms;		/* core/forgery.h */
	struct silence silence[ASKED_KINDS];
	struct exchange *waiting, **waiting_end;
	int open;
};

struct exchanges {
	struct loop *loop;
	struct servers *servers;	/* who know the keys */
	const struct figures *figures;
	struct place *places;
	int place_count;
	unsigned next_place;		/* whose turn it is */
	uint64_t turn;			/* in which so many answers were taken */
	int answers;
	bool opening;			/* open_waiting() is due at the end of the turn */
	struct address hosts[2];
	int host_count;
	struct rare strange, mismatched;	/* lines of the log */
};

/* ---- exchange.c ---- */

void exchange_open(struct exchange *exchange);
/* Its server is silent, and not asked: the callback comes at once. */
void exchange_spare(struct exchange *exchange);

/* ---- exchange_ask.c ---- */

/* False: it is to be signed with a key that nobody knows. */
bool exchange_encode(struct exchange *exchange);

/* ---- exchange_place.c ---- */

struct place *places_new(void);
/* Does the database know its server? Else the servers are read again soon. */
bool place_is_for(const struct exchange *exchange);
void place_lacks(struct exchange *exchange);		/* it does not: that is told */
/* Behind those that wait for the server already. */
void place_wait(struct exchange *exchange);
/* Its place is another's, or the queue one shorter. */
void place_leave(struct exchange *exchange);
void place_heard(struct exchange *exchange);		/* its server said something */
void place_unanswered(struct exchange *exchange);	/* all its time has passed */
/* Its answers may be forged: that is told. */
void place_distrusted(struct exchange *exchange);
/* Its server does not echo questions as they are, as far as is known (core/forgery.h). */
bool place_is_loose(const struct exchange *exchange);
void place_note_loose(struct exchange *exchange);
