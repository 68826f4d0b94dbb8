/*
 * cache_lease -- how long an instance of mini-DNS may answer from memory, and when it may
 * send a NOTIFY. Pure: times are milliseconds of the caller's clock.
 *
 * A name server may send its question to any instance after a NOTIFY from another
 * instance. The sender of a NOTIFY therefore first announces the change to all
 * instances, over one fanout exchange. It waits until each instance has acknowledged the
 * announcement or has lost its lease. An instance without a lease reads the database for
 * each answer. Each queue keeps the order of one sender's messages; two queues may have
 * different orders.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

/*
 * Lease: an instance sends a message K and gets it back. When it sent K, the broker had
 * confirmed one of its earlier messages J, which it sent at most LEASE / 2 before K. The
 * lease ends LEASE after the sending of K.
 *
 * Settled: the sender of an announcement sends another message, at time T, after the
 * confirm of the announcement, and gets that message back. Each known instance has
 * acknowledged the announcement, or was last seen 3/2 LEASE before T.
 *
 * Proof: let an instance Y have a lease by K and J. If J was confirmed before T, this
 * instance has seen J and waited for Y; the lease of Y ends 3/2 LEASE after J was sent.
 * If J was confirmed later, Y sent K after T. So our announcement is before K in the
 * queue of Y, and Y has read it.
 *
 * An instance with a new queue may have missed messages. It clears its memory and gets a
 * lease only by new messages. It settles nothing for 3/2 LEASE: by then the leases of
 * instances that it does not know have ended.
 */
enum {
	CACHE_LEASE_MS = 800,
	CACHE_LEASE_GONE_MS = CACHE_LEASE_MS * 3 / 2,
	/* between two messages of an instance that wants a lease */
	CACHE_LEASE_RENEW_MS = 200,
	CACHE_LEASE_PEERS = 1024,
	CACHE_LEASE_OUT = 64,		/* unconfirmed messages at a time */
};

struct cache_lease_peer {
	char id[ID_LEN + 1];
	int64_t seen_ms;
	/* the instance has acknowledged our messages up to this number */
	uint64_t acked;
};

/* A message of this instance, until it is confirmed and has come back. */
struct cache_lease_message {
	int64_t sent_ms;
	/* our messages up to this number were confirmed when we sent the message */
	uint64_t confirmed;
	/* the return of this message renews the lease */
	bool renews;
	bool done;			/* confirmed or given up */
};

struct cache_lease {
	uint64_t sent, echoed;		/* numbers of the newest messages */
	/* all messages up to this number are done */
	uint64_t confirmed;
	/* when the newest confirmed message was sent; 0: never */
	int64_t confirmed_sent_ms;
	/* the broker confirmed the messages up to this number before `horizon_ms` */
	uint64_t covered;
	/* all messages that the broker confirmed before this time have arrived */
	int64_t horizon_ms;
	/* messages up to this number went to the lost queue */
	uint64_t old_queue;
	int64_t valid_until_ms;
	/* until then, unknown instances may have leases */
	int64_t unknown_until_ms;
	struct cache_lease_message out[CACHE_LEASE_OUT];	/* indexed by number */
	struct cache_lease_peer peers[CACHE_LEASE_PEERS];
	size_t peer_count;
};

/* The queue is new, also at the start. The caller clears its memory. */
void cache_lease_reset(struct cache_lease *lease, int64_t now_ms);

/* True: there is room for one more message. */
bool cache_lease_may_send(const struct cache_lease *lease);
/* Returns the number of the message, 1 and up. Publish the message afterwards. */
uint64_t cache_lease_send(struct cache_lease *lease, int64_t now_ms);
void cache_lease_confirmed(struct cache_lease *lease, uint64_t number);
/* The broker did not confirm the message. The caller sends its content again. */
void cache_lease_given_up(struct cache_lease *lease, uint64_t number);

/* A message of this instance came back through its queue. */
void cache_lease_echoed(struct cache_lease *lease, uint64_t number);
/* A message of another instance came. */
void cache_lease_saw(struct cache_lease *lease, const char *id, int64_t now_ms);
/* The other instance has read our messages up to NUMBER. */
void cache_lease_acked(struct cache_lease *lease, const char *id, uint64_t number);

/* True: the instance may answer a question that came before now from memory. */
bool cache_lease_is_valid(const struct cache_lease *lease, int64_t now_ms);
/* All instances with a lease have read our messages up to this number. */
uint64_t cache_lease_settled(const struct cache_lease *lease);
