/*
 * answer -- builds the answer to a query from a zone (RFC 1034 4.3.2). Answers from the
 * zone's own data have the AA bit. Referrals contain glue. Chains of CNAME and DNAME
 * records stay within the zone (RFC 6672). Wildcards follow RFC 4592. NXDOMAIN and NODATA
 * answers contain the SOA record (RFC 2308). The answer to ANY contains one record set
 * (RFC 8482). An answer that does not fit into a UDP message has the TC bit.
 *
 * A chain has at most 16 steps, and contains each name and each DNAME at most once. No
 * function in this file is recursive.
 */
#pragma once

#include <stdbool.h>

#include "core/query.h"
#include "core/zone.h"

/*
 * Builds the answer from the zone. The name in the question must be in the zone. Returns
 * the length of the answer. Does not change the query, so the caller can still build
 * another answer.
 */
size_t answer_build(const struct query *query, const struct zone *zone, bool tcp,
                    uint8_t *data, size_t size);

/*
 * Like answer_build(), for a query for the SOA of a zone. SOA is the record from the
 * columns of the table domains. The function needs no zone in memory.
 */
size_t answer_soa(const struct query *query, const struct rr *soa, bool tcp,
                  uint8_t *data, size_t size);
