/*
 * rate -- how many answers over UDP a network gets, so that nobody turns them
 * on a victim whose address he writes on his questions. A token bucket for
 * each client network (/24, /56) and kind of answer: it holds `burst` answers
 * and is filled at `per_second`. Beyond it an answer is dropped, or sent with
 * TC and without records: then it is about as large as the question, and
 * brings a real client over TCP. An answer counts as one for each
 * RATE_OCTETS that it is longer than its question: so a bucket bounds what is
 * gained in octets. Who shows a valid cookie is not limited; the caller sees
 * to that. The pools' own servers have a bucket for each address, and a limit of
 * their own.
 *
 * Unlike in BIND, NSD and Knot, a bucket is not of a name. There, resolvers
 * ask for many names and must have them, and who knows a thousand names can
 * aim a thousand buckets at his victim. No resolver asks a hidden primary:
 * its clients are the pools' servers, and the few others may come over TCP.
 *
 * The memory is fixed, 16 octets a bucket, and nothing is allocated after
 * rate_new(). What becomes of a bucket for which there is no room: rate.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/siphash.h"
#include "dns/address.h"
#include "dns/packet.h"

/* A network that is refused at a high rate, or guesses names, still gets answers. */
enum rate_kind {
	RATE_ANSWER,		/* no error: records, a referral, NODATA */
	RATE_NXDOMAIN,
	RATE_ERROR,		/* REFUSED and all others */
	RATE_SERVER,		/* anything that a server of a pool has to ask */
	RATE_KINDS
};
enum rate_kind rate_kind_of(enum rcode rcode);

enum rate_fate {
	RATE_SEND,
	RATE_TRUNCATE,		/* with TC and without records */
	RATE_DROP,
};

enum { RATE_MAX = 1000000, RATE_OCTETS = 64 };

struct rate_limits {
	int per_second;			/* 1 to RATE_MAX answers */
	int burst;			/* 1 to RATE_MAX answers */
	/* every so many'th that is too much is truncated: 1: all, 0: none */
	int slip;
	/* to each server; a second's may go out at once; 0: without a limit */
	int servers_per_second;
};

/* An answer that is to go out. */
struct rate_answer {
	const struct address *client;
	enum rate_kind kind;
	size_t question_len, len;	/* octets */
};

struct rate;

/* BUCKETS is rounded up to 8 times a power of two. KEY is random, and nobody's else. */
struct rate *rate_new(const struct rate_limits *limits, size_t buckets,
                      const struct siphash_key *key);
void rate_free(struct rate **rate);
/* What was sent before still counts. */
void rate_set_limits(struct rate *rate, const struct rate_limits *limits);
/* To be asked once for each answer. The time is that of a clock that never goes back. */
enum rate_fate rate_decide(struct rate *rate, const struct rate_answer *answer,
                           int64_t now_ms);
