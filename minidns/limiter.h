/*
 * limiter -- which answer over UDP goes out, which goes short, which not at
 * all: rate.h for all who do not prove that they have their address. A valid
 * cookie, a right signature, or an address in rate_limit_exempt proves it.
 *
 * Anybody can write the address of a pool's server on his questions, and would turn our
 * answers on it. So the servers of the pools, and who may have any zone, have a higher
 * limit only in what they ask for without a cookie: SOA and IXFR, and NOTIFY. They are
 * known from memory: before the table was read they are strangers and may be sent to TCP.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/option.h"

struct address;
struct figures;
struct limiter;
struct query;
struct servers;

/* The options of these names. */
struct limiter_options {
	int rate_limit, rate_limit_burst, rate_limit_slip, rate_limit_servers;
	struct option_texts rate_limit_exempt;
};

enum err limiter_check(const struct limiter_options *options, struct why *why);
struct limiter *limiter_new(struct servers *servers, const struct figures *figures);
void limiter_free(struct limiter **limiter);
/* From now on nothing is limited, and the servers may go. */
void limiter_lift(struct limiter *limiter);
/* Until then nothing is limited. As limiter_check(), and nothing changes on an error. */
enum err limiter_set(struct limiter *limiter, const struct limiter_options *options,
                     struct why *why);
/* Over UDP: is PEER who it says it is? */
bool limiter_is_proven(const struct limiter *limiter, const struct query *query,
                       const struct address *peer);
/*
 * The answer of LEN octets to QUERY from PEER, or another one in its place in the same
 * DATA of SIZE octets. Returns its length; 0: none is sent.
 */
size_t limiter_pass(struct limiter *limiter, const struct query *query,
                    const struct address *peer, uint8_t *data, size_t len, size_t size);
