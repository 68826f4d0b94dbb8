/*
 * ixfr_merge -- merges several differences into one (RFC 1995 5): the records that differ
 * between two serials, whatever the zone had in between. Pure.
 *
 * Owner, type and rdata identify a record. The steps remove and add it in turn. The
 * first removal shows what the client has; the last addition shows what it must get. If
 * both are identical, the result has neither. If they differ, for example in the TTL, it
 * removes the first and adds the last. The merge sorts the records, so that no choice of
 * records makes it slow.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct ixfr_merged {
	struct buf rrs;			/* old SOA, removed, new SOA, added */
	size_t new_soa;			/* offset of the new SOA in `rrs` */
	uint64_t records;		/* including the two SOAs */
};

/*
 * STEPS: whole differences in order, each with the old SOA, the removed records, the new
 * SOA and the added records. False, and no result, if they contradict each other: a
 * removed record is missing or has another TTL or another case of the owner, or an added
 * record exists already.
 */
bool ixfr_merge(const struct buf *steps, struct ixfr_merged *merged);
