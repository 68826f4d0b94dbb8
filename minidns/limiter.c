#include "limiter.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/mem.h"
#include "core/prefixes.h"
#include "core/query.h"
#include "core/rate.h"
#include "minidns.h"
#include "runtime/metrics.h"
#include "servers.h"

enum { BUCKETS = 65536 };		/* a megabyte */

struct limiter {
	struct servers *servers;
	const struct figures *figures;
	int processes;			/* they divide the limits */
	struct prefixes exempt;
	struct rate *rate;		/* NULL: no limits */
};

struct limiter *limiter_new(struct servers *servers, const struct figures *figures,
                            int processes)
{
	struct limiter *limiter = xcalloc(1, sizeof(*limiter));

	limiter->servers = servers;
	limiter->figures = figures;
	limiter->processes = processes;
	return limiter;
}

void limiter_free(struct limiter **limiter)
{
	struct limiter *old = *limiter;

	*limiter = NULL;
	if (!old)
		return;
	rate_free(&old->rate);
	prefixes_clear(&old->exempt);
	free(old);
}

void limiter_lift(struct limiter *limiter)
{
	rate_free(&limiter->rate);
}

/* ---- options ---- */

enum err limiter_check(const struct limiter_options *options, struct why *why)
{
	struct prefixes exempt = { 0 };
	enum err err = prefixes_set(&exempt, "rate_limit_exempt",
	                            &options->rate_limit_exempt, why);

	prefixes_clear(&exempt);
	return err;
}

enum err limiter_set(struct limiter *limiter, const struct limiter_options *options,
                     struct why *why)
{
	const struct rate_limits stated = {
		.per_second = options->rate_limit,
		.burst = options->rate_limit_burst,
		.slip = options->rate_limit_slip,
		.servers_per_second = options->rate_limit_servers,
	};
	const struct rate_limits limits = rate_limits_share(&stated, limiter->processes);
	struct siphash_key key;
	enum err err = prefixes_set(&limiter->exempt, "rate_limit_exempt",
	                            &options->rate_limit_exempt, why);

	if (err)
		return err;
	random_fill(&key, sizeof(key));
	if (!limits.per_second)
		limiter_lift(limiter);
	else if (limiter->rate)
		rate_set_limits(limiter->rate, &limits);
	else
		limiter->rate = rate_new(&limits, BUCKETS, &key);
	return OK;
}

/* ---- checks ---- */

static int limiter_opcode(const struct query *query)
{
	return (query->flags & FLAG_OPCODE) >> OPCODE_SHIFT;
}

/* True: a question that name servers ask without a cookie to detect changes. */
static bool limiter_is_of_servers(const struct query *query)
{
	return !query->tsig_error &&
	       (limiter_opcode(query) == OPCODE_NOTIFY || query->type == RR_SOA ||
		query->type == RR_IXFR);
}

bool limiter_is_proven(const struct limiter *limiter, const struct query *query,
                       const struct address *peer)
{
	return query->cookie.result == COOKIE_VALID || query_key(query) ||
	       prefixes_cover(&limiter->exempt, peer);
}

/* The full rcode: the header has only a part of BADVERS and similar codes. */
static enum rcode limiter_rcode(const struct query *query, const uint8_t *data)
{
	return query->rcode ? query->rcode : data[3] & FLAG_RCODE;
}

static enum rate_kind limiter_kind(const struct limiter *limiter,
                                   const struct query *query, const struct address *peer,
                                   const uint8_t *data)
{
	if (limiter_is_of_servers(query) && servers_of_pool(limiter->servers, peer))
		return RATE_SERVER;
	return rate_kind_of(limiter_rcode(query, data));
}

static bool limiter_takes_badcookie(const struct query *query)
{
	return limiter_opcode(query) == OPCODE_QUERY &&
	       (query->cookie.result == COOKIE_CLIENT_ONLY ||
		query->cookie.result == COOKIE_BAD);
}

/*
 * Answers with TC, or with BADCOOKIE. A client with half a cookie, or a bad one, repeats
 * the question with the cookie of this answer (RFC 7873 5.2.3). A client without cookies
 * uses TCP.
 */
static size_t limiter_shorten(const struct limiter *limiter, const struct query *query,
                              uint8_t *data, size_t size)
{
	struct query again = *query;

	again.error = NULL;
	if (!limiter_takes_badcookie(query)) {
		metric_add(limiter->figures->rate_truncated, 1);
		return query_answer_truncated(&again, data, size);
	}
	metric_add(limiter->figures->rate_badcookie, 1);
	return query_answer_rcode(&again, RCODE_BADCOOKIE, data, size);
}

size_t limiter_pass(struct limiter *limiter, const struct query *query,
                    const struct address *peer, uint8_t *data, size_t len, size_t size)
{
	struct rate_answer answer = {
		.client = peer, .question_len = query->packet_len, .len = len,
	};

	if (!limiter->rate || !len || limiter_is_proven(limiter, query, peer))
		return len;
	answer.kind = limiter_kind(limiter, query, peer, data);
	switch (rate_decide(limiter->rate, &answer, clock_ms())) {
	case RATE_SEND:
		return len;
	case RATE_TRUNCATE:
		return limiter_shorten(limiter, query, data, size);
	case RATE_DROP:
		metric_add(limiter->figures->rate_dropped, 1);
	}
	return 0;
}
