/*
 * cache_lease -- decides how long a mini-DNS process may answer from memory, and when the
 * process may send a NOTIFY. This module reads no clock. The caller passes the time in
 * milliseconds.
 *
 * After a NOTIFY from one process, a name server can send its query to any other process.
 * So the sender of a NOTIFY first announces the change to all processes, over one fanout
 * exchange. The sender waits until each process has acknowledged the announcement or has
 * lost its lease. A process without a lease reads the database before each answer to an
 * SOA or transfer query. In each queue, the messages of one sender keep their order.
 * Messages of different senders can be in a different order in each queue.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

/*
 * LEASE is CACHE_LEASE_MS. Lease: a process sends a message K and receives K back. When
 * the process sent K, the broker had confirmed an earlier message J of the same process.
 * The process sent J at most LEASE / 2 before K. The lease ends LEASE after the process
 * sent K.
 *
 * Settled: after the broker has confirmed an announcement, its sender sends another
 * message, at time T, and receives that message back. After that, the sender checks each
 * process that the sender knows. The announcement is settled if each of these processes
 * has acknowledged the announcement, or has sent no message that arrived in the last 3/2
 * LEASE before T.
 *
 * Proof: let a process Y have a lease from K and J. If the broker confirmed J before T,
 * the sender of the announcement has received J and has waited for Y. The lease of Y ends
 * at most 3/2 LEASE after Y sent J. If the broker confirmed J after T, Y sent K after T.
 * So the announcement is before K in the queue of Y, and Y has read the announcement.
 *
 * A process with a new queue has possibly missed messages. This process clears its
 * memory. Only new messages give the process a lease. This process waits 3/2 LEASE before
 * it counts an announcement as settled. At the end of this time, the leases of all
 * processes that this process does not know have ended.
 */
enum {
	CACHE_LEASE_MS = 800,
	CACHE_LEASE_GONE_MS = CACHE_LEASE_MS * 3 / 2,
	/* time between two messages of a process that renews its lease */
	CACHE_LEASE_RENEW_MS = 200,
	CACHE_LEASE_PEERS = 1024,
	/* maximum number of messages that are unconfirmed or have not come back */
	CACHE_LEASE_OUT = 64,
};

struct cache_lease_peer {
	char id[ID_LEN + 1];
	int64_t seen_ms;
	/* the peer has acknowledged the messages of this process up to this number */
	uint64_t acked;
};

/*
 * A message of this process. The entry exists until the message is confirmed and has come
 * back.
 */
struct cache_lease_message {
	int64_t sent_ms;
	/* value of cache_lease.confirmed when the process sent this message */
	uint64_t confirmed;
	/* true: when this message comes back, the process renews its lease */
	bool renews;
	/* true: the broker has confirmed the message, or the process has given it up */
	bool done;
};

struct cache_lease {
	/* number of the newest message that was sent, and of the newest that came back */
	uint64_t sent, echoed;
	/* all messages up to this number are done */
	uint64_t confirmed;
	/* when this process sent the newest confirmed message; 0: no confirmed message */
	int64_t confirmed_sent_ms;
	/* the broker confirmed the messages up to this number before `horizon_ms` */
	uint64_t covered;
	/* all messages that the broker confirmed before this time have arrived */
	int64_t horizon_ms;
	/*
	 * number of the newest message that the process sent before the current queue
	 * existed
	 */
	uint64_t old_queue;
	int64_t valid_until_ms;		/* end of the lease */
	/* until this time, processes that are not in `peers` possibly have leases */
	int64_t unknown_until_ms;
	/* index: the number of the message, modulo CACHE_LEASE_OUT */
	struct cache_lease_message out[CACHE_LEASE_OUT];
	struct cache_lease_peer peers[CACHE_LEASE_PEERS];
	size_t peer_count;
};

/*
 * Ends the lease. Call it when the queue of this process is new, and when the process
 * starts. The caller must also clear its memory.
 */
void cache_lease_reset(struct cache_lease *lease, int64_t now_ms);

/* True: there is room for one more message. */
bool cache_lease_may_send(const struct cache_lease *lease);
/*
 * Adds a message, and returns its number. The first number is 1. Publish the message
 * after this call.
 */
uint64_t cache_lease_send(struct cache_lease *lease, int64_t now_ms);
void cache_lease_confirmed(struct cache_lease *lease, uint64_t number);
/*
 * Call it if the broker did not confirm the message. After this call, send the content
 * again in a new message.
 */
void cache_lease_given_up(struct cache_lease *lease, uint64_t number);

/*
 * Call it when a message of this process has come back through its queue. If `renews` of
 * the message is true, the message renews the lease.
 */
void cache_lease_echoed(struct cache_lease *lease, uint64_t number);
/* Call it when a message of the process ID has arrived. */
void cache_lease_saw(struct cache_lease *lease, const char *id, int64_t now_ms);
/*
 * Call it when the process ID has acknowledged the messages of this process up to NUMBER.
 */
void cache_lease_acked(struct cache_lease *lease, const char *id, uint64_t number);

/* True: this process may answer from memory a query that arrived before NOW_MS. */
bool cache_lease_is_valid(const struct cache_lease *lease, int64_t now_ms);
/*
 * Returns the number of the newest settled message of this process. All processes with a
 * lease have read the messages of this process up to this number.
 */
uint64_t cache_lease_settled(const struct cache_lease *lease);
