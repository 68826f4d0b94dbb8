/*
 * ixfr_merge -- merges several differences into one (RFC 1995 5): what a zone must
 * remove and add between two serials, whatever it had meanwhile. Pure.
 *
 * Owner, type and rdata identify a record; the steps remove and add it by turns. The
 * first removal says what the client has, the last addition what it must get. If both
 * are identical, nothing is sent. If they differ, as in a new TTL, the one is removed
 * and the other added. The records are sorted, so that no choice of records makes this
 * slow.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct ixfr_merged {
	struct buf rrs;			/* old SOA, removed, new SOA, added */
	size_t new_soa;			/* where in it the new SOA stands */
	uint64_t records;		/* with the two SOAs */
};

/*
 * STEPS: whole differences in order, each the old SOA, removed, the new SOA, added.
 * False, and no result, if they contradict each other: a removed record is not there, or
 * has another TTL or case of the owner, or an added record is there already.
 */
bool ixfr_merge(const struct buf *steps, struct ixfr_merged *merged);
