/*
 * accord -- when an instance of minidns may answer from memory, and when news may
 * leave.
 *
 * A name server that was sent a NOTIFY for serial S by any instance may ask any other
 * one, and must hear of S or newer. So whoever has a NOTIFY to send first publishes
 * the news, and waits until every instance has heard them and forgotten what it knew
 * of the zone. An instance may answer from memory only as long as it has a hold, which
 * ends by itself; so one that says nothing more needs to be waited for only until
 * then. Without a hold it asks the database for each answer.
 *
 * All of it goes through one fanout exchange. In the queue that each instance has,
 * nothing overtakes; but two queues may have two messages in different orders. Each
 * message has a number. What was confirmed is in all queues; what came back went
 * through mine.
 *
 * Hold: K, a message of mine, came back. When I sent it one of mine was confirmed that
 * I had sent at most HOLD / 2 before, J. I hold until HOLD after I sent K.
 *
 * Settled: a message came back that I sent, at time T, after my news were confirmed.
 * Each instance that I know has heard them, or I saw its last message 3/2 HOLD before
 * T.
 *
 * Why that is enough: say Y answers from memory by a hold of K and J. If J was
 * confirmed before T, I have seen it, and thought of Y; its hold ends 3/2 HOLD after
 * it sent J. If it was confirmed later, K was sent later than T, and my news, which
 * were confirmed before T, stand before K in Y's queue: Y has heard them.
 *
 * An instance whose queue is new, because it began or its connection was lost, may
 * have missed all of that: it forgets everything, holds by messages sent since, and
 * settles nothing until 3/2 HOLD later, when the holds of those it does not know have
 * ended.
 *
 * Pure. Times are milliseconds of a clock that does not stop while the machine sleeps;
 * each instance has its own, for only differences count.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

enum {
	ACCORD_HOLD_MS = 800,
	ACCORD_GONE_MS = ACCORD_HOLD_MS * 3 / 2,
	ACCORD_BEAT_MS = 200,		/* between messages of one that wants to hold */
	ACCORD_PEERS = 1024,
	ACCORD_OUT = 64,		/* messages that are out at a time */
};

struct accord_peer {
	char id[ID_LEN + 1];
	int64_t seen_ms;
	uint64_t heard;			/* of ours: all up to this number */
};

/* A message of ours, from when it is sent until it is confirmed and came back. */
struct accord_message {
	int64_t sent_ms;
	uint64_t confirmed;		/* ours up to this were, when it was sent */
	bool chained;			/* it may found a hold */
	bool done;			/* it was confirmed, or is given up */
};

struct accord {
	uint64_t sent, back;		/* numbers of our newest ones */
	uint64_t confirmed;		/* all up to this were, or were given up */
	int64_t confirmed_sent_ms;	/* when the newest was sent; 0: there is none */
	uint64_t covered;		/* confirmed before `horizon_ms` */
	int64_t horizon_ms;		/* what was confirmed until then was seen */
	uint64_t old_queue;		/* ours up to this went to a queue that is gone */
	int64_t held_until_ms;
	int64_t strangers_until_ms;	/* until then unknown ones may hold */
	struct accord_message out[ACCORD_OUT];	/* by number */
	struct accord_peer peers[ACCORD_PEERS];
	size_t peer_count;
};

/* Our queue is new; also at the beginning. Forget what is in memory. */
void accord_reset(struct accord *accord, int64_t now_ms);

/* Is there room for one more message? */
bool accord_may_send(const struct accord *accord);
/* Its number, 1 and up. Publish it afterwards. */
uint64_t accord_send(struct accord *accord, int64_t now_ms);
void accord_confirmed(struct accord *accord, uint64_t number);
/* It was not: what it said has to be said again. */
void accord_given_up(struct accord *accord, uint64_t number);

/* What comes by our queue: a message of our own, or somebody else's, */
void accord_came_back(struct accord *accord, uint64_t number);
void accord_saw(struct accord *accord, const char *id, int64_t now_ms);
/* which may say that it heard of ours, all up to a number. */
void accord_was_heard(struct accord *accord, const char *id, uint64_t number);

/* May a question that came before now be answered from memory? */
bool accord_holds(const struct accord *accord, int64_t now_ms);
/* What we said up to this number is known to all that hold. */
uint64_t accord_settled(const struct accord *accord);
