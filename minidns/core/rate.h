/*
 * rate -- limits the answers over UDP to one network, so that no attacker can direct
 * them at a victim by forging its address. Each client network (/24, /56) has a token
 * bucket for each kind of answer. A bucket holds `burst` answers and is filled at
 * `per_second`. mini-DNS drops an answer beyond the limit, or sends it with TC and
 * without records. Such an answer is about as large as the question, and a real client
 * comes back over TCP. A longer answer counts once for each RATE_OCTETS beyond the
 * length of its question, so a bucket bounds the amplification in octets. The caller
 * exempts clients with a valid cookie. The pools' own servers have a bucket for each
 * address, and their own limit.
 *
 * BIND, NSD and Knot also have a bucket for each name; mini-DNS does not. Resolvers ask
 * them for many names, and an attacker who knows a thousand names can aim a thousand
 * buckets at a victim. Resolvers do not ask a hidden primary. Its clients are the pools'
 * servers, and the few other clients can use TCP.
 *
 * The memory is fixed, 16 octets a bucket. Nothing is allocated after rate_new(). rate.c
 * says what happens to a bucket for which there is no room.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/siphash.h"
#include "dns/address.h"
#include "dns/packet.h"

/*
 * One bucket for each kind: a network that causes many refusals or guesses names still
 * gets other answers.
 */
enum rate_kind {
	RATE_ANSWER,		/* no error: records, a referral, NODATA */
	RATE_NXDOMAIN,
	RATE_ERROR,		/* REFUSED and other errors */
	RATE_SERVER,		/* questions that a server of a pool must ask */
	RATE_KINDS
};
enum rate_kind rate_kind_of(enum rcode rcode);

enum rate_verdict {
	RATE_SEND,
	RATE_TRUNCATE,		/* with TC and without records */
	RATE_DROP,
};

enum { RATE_MAX = 1000000, RATE_OCTETS = 64 };

struct rate_limits {
	int per_second;			/* 1 to RATE_MAX answers */
	int burst;			/* 1 to RATE_MAX answers */
	/* truncate one answer in `slip` beyond the limit; 1: all answers, 0: no answer */
	int slip;
	/* to each server; the answers of a second may go out at once; 0: no limit */
	int servers_per_second;
};

/* An answer that mini-DNS is about to send. */
struct rate_answer {
	const struct address *client;
	enum rate_kind kind;
	size_t question_len, len;	/* octets */
};

struct rate;

/* Rounds BUCKETS up to 8 times a power of two. KEY is random and used only here. */
struct rate *rate_new(const struct rate_limits *limits, size_t buckets,
                      const struct siphash_key *key);
void rate_free(struct rate **rate);
/* Answers sent before the change still count. */
void rate_set_limits(struct rate *rate, const struct rate_limits *limits);
/* Call it once for each answer, with the time of a monotonic clock. */
enum rate_verdict rate_decide(struct rate *rate, const struct rate_answer *answer,
                              int64_t now_ms);
