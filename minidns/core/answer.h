/*
 * answer -- what a zone says to a question (RFC 1034 4.3.2): records with the
 * AA bit, CNAME and DNAME chains within the zone (RFC 6672), each name and
 * each DNAME of them once, wildcards (RFC 4592), referrals with glue, NXDOMAIN
 * and NODATA with the SOA (RFC 2308), one record set for ANY (RFC 8482), TC
 * where it does not fit over UDP. Nothing of it recurses.
 */
#pragma once

#include <stdbool.h>

#include "core/query.h"
#include "core/zone.h"

/*
 * The question must be for a name in the zone. Returns the length of the answer. Both
 * leave the query as it was, so that another answer can take its place.
 */
size_t answer_build(const struct query *query, const struct zone *zone, bool tcp,
                    uint8_t *data, size_t size);

/*
 * The answer to a question for the SOA alone, as domains'
 * columns have it; no zone needed.
 */
size_t answer_soa(const struct query *query, const struct rr *soa, bool tcp,
                  uint8_t *data, size_t size);
