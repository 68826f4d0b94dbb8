/*
 * rate -- limits the answers over UDP to each network, so that an attacker who forges the
 * address of a victim cannot direct many answers at the victim. Each client network (/24
 * for IPv4, /56 for IPv6) has a token bucket for each kind of answer. A bucket holds
 * `burst` answers and refills at `per_second`. If an answer exceeds the limit, mini-DNS
 * drops the answer, or sends it without records and with the TC bit. An answer with the
 * TC bit is about as large as its query, and a real client repeats the query over TCP.
 * The caller exempts clients with a valid cookie. Each server of a pool also has a bucket
 * for its own address, with a separate limit. The processes of a program do not share
 * their buckets. So each process applies the limits divided by the number of processes.
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
 * guesses names, still gets other answers.
 *
 * BIND, NSD and Knot also have a bucket for each name; mini-DNS does not. Resolvers query
 * these programs for many names. But an attacker who knows a thousand names can use a
 * thousand buckets against a victim. Resolvers do not query a hidden primary. Its clients
 * are the servers of the pools, and the few other clients can use TCP.
 */
enum rate_kind {
	RATE_ANSWER,		/* no error: records, a referral, NODATA */
	RATE_NXDOMAIN,
	RATE_ERROR,		/* REFUSED and other errors */
	RATE_SERVER,		/* queries that a server of a pool must send */
	RATE_KINDS
};
enum rate_kind rate_kind_of(enum rcode rcode);

enum rate_verdict {
	RATE_SEND,
	RATE_TRUNCATE,		/* with TC and without records */
	RATE_DROP,
};

/*
 * RATE_OCTETS: a long answer counts once for each RATE_OCTETS by which it is longer than
 * its query. So a bucket limits the amplification in octets.
 */
enum { RATE_MAX = 1000000, RATE_OCTETS = 64 };

struct rate_limits {
	int per_second;			/* 1 to RATE_MAX answers */
	int burst;			/* 1 to RATE_MAX answers */
	/*
	 * mini-DNS truncates one of `slip` answers that exceed the limit and drops the
	 * others; 1: truncates all such answers; 0: drops all such answers
	 */
	int slip;
	/*
	 * answers per second to each server; mini-DNS may send the answers of one second
	 * together; 0: no limit
	 */
	int servers_per_second;
};

/* An answer that mini-DNS is about to send. */
struct rate_answer {
	const struct address *client;
	enum rate_kind kind;
	size_t question_len, len;	/* octets */
};

/*
 * Returns the limits of each of PROCESSES processes: LIMITS divided by PROCESSES, rounded
 * up. The kernel chooses the process by the port of the client, so an attacker can reach
 * the limits of all processes.
 */
struct rate_limits rate_limits_share(const struct rate_limits *limits, int processes);

struct rate;

/*
 * Rounds BUCKETS up to 8 times a power of two. KEY is random and used only here. rate.c
 * explains what happens if there is no room for a bucket.
 */
struct rate *rate_new(const struct rate_limits *limits, size_t buckets,
                      const struct siphash_key *key);
void rate_free(struct rate **rate);
/* The buckets still count the answers that were sent before the change. */
void rate_set_limits(struct rate *rate, const struct rate_limits *limits);
/* Call it once for each answer, with the time of a monotonic clock. */
enum rate_verdict rate_decide(struct rate *rate, const struct rate_answer *answer,
                              int64_t now_ms);
