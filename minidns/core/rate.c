#include "core/rate.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

/*
 * A bucket is only the time at which it will be full again. A full bucket is the same as
 * no bucket. Buckets are in sets of eight; the keyed hash chooses the set. If a network
 * is not in its set, it replaces the network whose bucket is full first, and takes over
 * its time.
 *
 * So a flood of random addresses displaces only buckets with little to lose: other
 * buckets of the flood, and those of clients that are (nearly) full. Such a client finds
 * a similar bucket when it comes back. A client over its limit has the latest time and
 * stays. These times only grow, so a displaced network finds at least its old debt, and
 * no flood gets more than its limit. The limit of this design is a flood of over a
 * million answers a second (65536 buckets, each with a per_second of 20), which keeps
 * each bucket of a set in use. Then new clients must also use TCP, but the flood gets no
 * more.
 */

enum { V4_PREFIX = 24, V6_PREFIX = ADDRESS_V6_SITE };
enum { WAYS = 8 };

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)

struct bucket {
	int64_t full_at_ns;
	/* part of the hash that does not choose the set */
	uint32_t tag;
	uint32_t suppressed;		/* suppressed answers, for slip */
};

/* The time that an answer adds to full_at_ns, and the limit of that time. */
struct pace_ns {
	int64_t answer, burst;
};

struct rate {
	struct pace_ns strangers, servers;
	uint32_t slip;
	struct siphash_key key;
	uint32_t set_mask;
	struct bucket buckets[];
};

enum rate_kind rate_kind_of(enum rcode rcode)
{
	if (rcode == RCODE_NOERROR)
		return RATE_ANSWER;
	return rcode == RCODE_NXDOMAIN ? RATE_NXDOMAIN : RATE_ERROR;
}

static int rate_share(int limit, int processes)
{
	return (limit + processes - 1) / processes;
}

struct rate_limits rate_limits_share(const struct rate_limits *limits, int processes)
{
	return (struct rate_limits){
		.per_second = rate_share(limits->per_second, processes),
		.burst = rate_share(limits->burst, processes),
		.slip = limits->slip,
		.servers_per_second = rate_share(limits->servers_per_second, processes),
	};
}

struct rate *rate_new(const struct rate_limits *limits, size_t buckets,
                      const struct siphash_key *key)
{
	struct rate *rate;
	size_t sets = 1;

	while (sets * WAYS < buckets)
		sets *= 2;
	rate = xcalloc(1, sizeof(*rate) + sets * WAYS * sizeof(*rate->buckets));
	rate->key = *key;
	rate->set_mask = sets - 1;
	rate_set_limits(rate, limits);
	return rate;
}

void rate_free(struct rate **rate)
{
	free(*rate);
	*rate = NULL;
}

/* The times for a limit, rounded up so that the limit is kept. */
static struct pace_ns rate_pace_ns(int per_second, int burst)
{
	int64_t answer_ns = (NS_PER_S + per_second - 1) / per_second;

	return (struct pace_ns){ .answer = answer_ns, .burst = answer_ns * burst };
}

void rate_set_limits(struct rate *rate, const struct rate_limits *limits)
{
	bug_if(limits->per_second < 1 || limits->per_second > RATE_MAX);
	bug_if(limits->burst < 1 || limits->burst > RATE_MAX || limits->slip < 0);
	bug_if(limits->servers_per_second < 0 || limits->servers_per_second > RATE_MAX);
	rate->strangers = rate_pace_ns(limits->per_second, limits->burst);
	if (limits->servers_per_second)
		rate->servers =
		    rate_pace_ns(limits->servers_per_second, limits->servers_per_second);
	else
		rate->servers = (struct pace_ns){ 0 };
	rate->slip = limits->slip;
}

/* The length of the network in octets. Servers of one network have a bucket each. */
static size_t rate_key_octets(const struct address *client, enum rate_kind kind)
{
	if (kind == RATE_SERVER)
		return client->bits / 8;
	return (client->bits == 32 ? V4_PREFIX : V6_PREFIX) / 8;
}

static uint64_t rate_hash(const struct rate *rate, const struct address *client,
                          enum rate_kind kind)
{
	uint8_t text[1 + sizeof(client->octets)] = { kind };
	size_t len = rate_key_octets(client, kind);

	/* the two families have different lengths, so their texts differ */
	memcpy(text + 1, client->octets, len);
	return siphash(&rate->key, text, 1 + len);
}

/* The bucket of the network, or the one that it takes over. */
static struct bucket *rate_find(struct rate *rate, uint64_t hash)
{
	struct bucket *set = &rate->buckets[WAYS * ((hash >> 32) & rate->set_mask)];
	struct bucket *first = set;
	uint32_t tag = hash;

	for (struct bucket *bucket = set; bucket < set + WAYS; bucket++) {
		if (bucket->tag == tag)
			return bucket;
		if (bucket->full_at_ns < first->full_at_ns)
			first = bucket;
	}
	first->tag = tag;
	return first;
}

static enum rate_verdict rate_suppress(const struct rate *rate, struct bucket *bucket)
{
	if (rate->slip && bucket->suppressed++ % rate->slip == 0)
		return RATE_TRUNCATE;
	return RATE_DROP;
}

/* The number of answers for which this answer counts. */
static int64_t rate_worth(const struct rate_answer *answer)
{
	if (answer->len <= answer->question_len + RATE_OCTETS)
		return 1;
	return (answer->len - answer->question_len + RATE_OCTETS - 1) / RATE_OCTETS;
}

/* A long answer is sent if there is room for a short one; the rest becomes debt. */
enum rate_verdict rate_decide(struct rate *rate, const struct rate_answer *answer,
                              int64_t now_ms)
{
	const struct pace_ns *pace =
	    answer->kind == RATE_SERVER ? &rate->servers : &rate->strangers;
	int64_t now_ns = now_ms * NS_PER_MS, full_at_ns;
	struct bucket *bucket;

	if (!pace->answer)
		return RATE_SEND;
	bucket = rate_find(rate, rate_hash(rate, answer->client, answer->kind));
	full_at_ns = now_ns > bucket->full_at_ns ? now_ns : bucket->full_at_ns;
	if (full_at_ns + pace->answer - now_ns > pace->burst)
		return rate_suppress(rate, bucket);
	bucket->full_at_ns = full_at_ns + rate_worth(answer) * pace->answer;
	return RATE_SEND;
}
