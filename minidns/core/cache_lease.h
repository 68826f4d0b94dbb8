/*
 * cache_lease -- until when an instance of minidns may answer from memory, and from when
 * a NOTIFY may leave. Pure: times are milliseconds of the caller's clock.
 *
 * A name server may ask any instance after a NOTIFY of another one. The sender of a
 * NOTIFY therefore first announces the change to all instances, over one fanout
 * exchange, and waits until each has acknowledged it or its lease has ended. An instance
 * without a lease asks the database for each answer. Each queue keeps the order of one
 * sender's messages; two queues may have different orders.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

/*
 * Lease: a message K of this instance came back. When it was sent, an earlier message J,
 * sent at most LEASE / 2 before, was confirmed. The lease ends LEASE after K was sent.
 *
 * Settled: a message came back that was sent, at T, after the announcement was confirmed.
 * Each known instance has acknowledged it, or was last seen 3/2 LEASE before T.
 *
 * Proof: let Y have a lease by K and J. If J was confirmed before T, we saw it and waited
 * for Y; its lease ends 3/2 LEASE after J was sent. If J was confirmed later, Y sent K
 * after T. So our announcement is before K in the queue of Y, and Y has read it.
 *
 * An instance with a new queue may have missed messages. It forgets its memory, gets a
 * lease only by new messages, and settles nothing for 3/2 LEASE, until the leases of
 * instances that it does not know have ended.
 */
enum {
	CACHE_LEASE_MS = 800,
	CACHE_LEASE_GONE_MS = CACHE_LEASE_MS * 3 / 2,
	CACHE_LEASE_RENEW_MS = 200,	/* between the messages of an instance that wants it */
	CACHE_LEASE_PEERS = 1024,
	CACHE_LEASE_OUT = 64,		/* unconfirmed messages at a time */
};

struct cache_lease_peer {
	char id[ID_LEN + 1];
	int64_t seen_ms;
	uint64_t acked;			/* our messages up to this number */
};

/* A message of this instance, until it is confirmed and has come back. */
struct cache_lease_message {
	int64_t sent_ms;
	uint64_t confirmed;		/* the messages up to this were, when it was sent */
	bool renews;			/* the lease, when it comes back */
	bool done;			/* confirmed or given up */
};

struct cache_lease {
	uint64_t sent, echoed;		/* numbers of the newest ones */
	uint64_t confirmed;		/* all up to this, or given up */
	int64_t confirmed_sent_ms;	/* when the newest was sent; 0: none */
	uint64_t covered;		/* confirmed before `horizon_ms` */
	int64_t horizon_ms;		/* all messages confirmed before it have arrived */
	uint64_t old_queue;		/* messages up to this went to the lost queue */
	int64_t valid_until_ms;
	int64_t unknown_until_ms;	/* unknown instances may have leases till then */
	struct cache_lease_message out[CACHE_LEASE_OUT];	/* by number */
	struct cache_lease_peer peers[CACHE_LEASE_PEERS];
	size_t peer_count;
};

/* The queue is new; also at the start. The caller forgets what is in its memory. */
void cache_lease_reset(struct cache_lease *lease, int64_t now_ms);

/* Is there room for one more message? */
bool cache_lease_may_send(const struct cache_lease *lease);
/* Its number, 1 and up. Publish it afterwards. */
uint64_t cache_lease_send(struct cache_lease *lease, int64_t now_ms);
void cache_lease_confirmed(struct cache_lease *lease, uint64_t number);
/* The broker did not confirm it: the caller sends its content again. */
void cache_lease_given_up(struct cache_lease *lease, uint64_t number);

/* A message of this instance came back through its queue. */
void cache_lease_echoed(struct cache_lease *lease, uint64_t number);
/* A message of another instance came. */
void cache_lease_saw(struct cache_lease *lease, const char *id, int64_t now_ms);
/* The other instance has read our messages up to NUMBER. */
void cache_lease_acked(struct cache_lease *lease, const char *id, uint64_t number);

/* True: a question that came before now may be answered from memory. */
bool cache_lease_is_valid(const struct cache_lease *lease, int64_t now_ms);
/* All instances with a lease know our messages up to this number. */
uint64_t cache_lease_settled(const struct cache_lease *lease);
