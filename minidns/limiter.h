/*
 * limiter -- decides whether mini-DNS sends an answer over UDP in full, without its
 * records, or not at all. The limiter applies the limits of core/rate.h to each client
 * that has not proven its address. A client proves its address with a valid cookie or a
 * valid TSIG record. An address in rate_limit_exempt counts as proven.
 *
 * An attacker can send queries with the forged address of a pool server, so that mini-DNS
 * sends many answers to that server. Pool servers have a higher limit. The higher limit
 * applies only to the messages that these servers must send without a cookie: SOA
 * queries, IXFR queries and NOTIFYs. The limiter does not wait for the database. Until
 * mini-DNS has read the table pool_servers for the first time, all clients are unknown
 * and possibly have to use TCP.
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

/* The values of the options with these names. */
struct limiter_options {
	int rate_limit, rate_limit_burst, rate_limit_slip, rate_limit_servers;
	struct option_texts rate_limit_exempt;
};

enum err limiter_check(const struct limiter_options *options, struct why *why);
/*
 * PROCESSES: the number of processes of this program. Each process applies the limits
 * divided by this number.
 */
struct limiter *limiter_new(struct servers *servers, const struct figures *figures,
                            int processes);
void limiter_free(struct limiter **limiter);
/* Stops limiting. The caller may free the servers afterwards. */
void limiter_lift(struct limiter *limiter);
/*
 * Starts limiting, or changes the limits. If rate_limit is 0, stops limiting. Returns the
 * errors of limiter_check(). After an error the limits are unchanged.
 */
enum err limiter_set(struct limiter *limiter, const struct limiter_options *options,
                     struct why *why);
/*
 * True: PEER has proven its address with QUERY, or rate_limit_exempt contains the
 * address.
 */
bool limiter_is_proven(const struct limiter *limiter, const struct query *query,
                       const struct address *peer);
/*
 * Applies the limits to the answer of LEN octets to QUERY from PEER. If the answer
 * exceeds the limits, the limiter possibly replaces the answer in DATA with an answer
 * without records. DATA has room for SIZE octets. Returns the length to send; 0: send no
 * answer.
 */
size_t limiter_pass(struct limiter *limiter, const struct query *query,
                    const struct address *peer, uint8_t *data, size_t len, size_t size);
