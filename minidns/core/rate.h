/*
 * rate -- limits the answers over UDP to each network, so that an attacker who forges the
 * address of a victim cannot direct many answers at the victim. Each client network (/24
 * for IPv4, /56 for IPv6) has a token bucket for each kind of answer. A bucket holds
 * `burst` answers, and refills by `per_second` answers each second. If an answer exceeds
 * the limit, mini-DNS drops the answer, or sends it without records and with the TC bit.
 * An answer with the TC bit is about as large as its query. A real client repeats the
 * query over TCP. The caller exempts clients with a valid cookie. Each server of a pool
 * also has a bucket for its own address, with a separate limit. The processes of a
 * program do not share their buckets. So each process applies the limits divided by the
 * number of processes.
 *
 * Each bucket uses 16 octets. rate_new() allocates all buckets.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/siphash.h"
#include "dns/address.h"
#include "dns/packet.h"

/*
 * Each kind of answer has its own bucket. So a network that causes many refusals, or that
 * guesses names, still gets answers of other kinds.
 *
 * BIND, NSD and Knot also have a bucket for each name, because resolvers query these
 * programs for many names. mini-DNS has no such buckets. An attacker who knows a thousand
 * names could use a thousand buckets against a victim. Resolvers do not query a hidden
 * primary. The clients of mini-DNS are the servers of the pools. The few other clients
 * can use TCP.
 */
enum rate_kind {
	RATE_ANSWER,		/* no error: records, a referral, NODATA */
	RATE_NXDOMAIN,
	RATE_ERROR,		/* REFUSED and other errors */
	/* answers to the SOA queries, IXFR queries and NOTIFYs of a server of a pool */
	RATE_SERVER,
	RATE_KINDS
};
enum rate_kind rate_kind_of(enum rcode rcode);

enum rate_verdict {
	RATE_SEND,
	RATE_TRUNCATE,		/* send the answer without records, with the TC bit */
	RATE_DROP,
};

/*
 * RATE_OCTETS: an answer that is longer than its query by more than RATE_OCTETS counts as
 * several answers: the difference divided by RATE_OCTETS, rounded up. So a bucket limits
 * the amplification in octets.
 */
enum { RATE_MAX = 1000000, RATE_OCTETS = 64 };

struct rate_limits {
	int per_second;			/* refill of a bucket: 1 to RATE_MAX answers */
	int burst;			/* size of a bucket: 1 to RATE_MAX answers */
	/*
	 * Of `slip` answers that exceed the limit, mini-DNS truncates one answer and
	 * drops the other answers. 1: mini-DNS truncates all such answers. 0: mini-DNS
	 * drops all such answers.
	 */
	int slip;
	/*
	 * Number of answers per second to each server of a pool. mini-DNS can send the
	 * answers of one second together. 0: no limit.
	 */
	int servers_per_second;
};

/* An answer that mini-DNS is about to send. */
struct rate_answer {
	const struct address *client;
	enum rate_kind kind;
	size_t question_len, len;	/* octets of the query and of the answer */
};

/*
 * Returns the limits of each of PROCESSES processes: LIMITS divided by PROCESSES, rounded
 * up. `slip` stays the same. The kernel chooses the process by the port of the client, so
 * an attacker can reach the limits of all processes.
 */
struct rate_limits rate_limits_share(const struct rate_limits *limits, int processes);

struct rate;

/*
 * Allocates the buckets. Rounds BUCKETS up to 8 times a power of two. KEY is random, and
 * no other module uses this key. rate.c explains what happens if there is no room for a
 * bucket.
 */
struct rate *rate_new(const struct rate_limits *limits, size_t buckets,
                      const struct siphash_key *key);
void rate_free(struct rate **rate);
/*
 * Changes the limits. The buckets still count the answers that mini-DNS sent before the
 * change.
 */
void rate_set_limits(struct rate *rate, const struct rate_limits *limits);
/*
 * Decides whether mini-DNS sends ANSWER, and counts ANSWER. Call it once for each answer,
 * with the time of a monotonic clock.
 */
enum rate_verdict rate_decide(struct rate *rate, const struct rate_answer *answer,
                              int64_t now_ms);
