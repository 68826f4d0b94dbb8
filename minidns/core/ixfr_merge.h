/*
 * ixfr_merge -- merges several differences into one (RFC 1995 5). The result contains
 * only the records that differ between the first and the last serial.
 *
 * Owner, type and rdata identify a record. In a sequence of differences, removals and
 * additions of the same record alternate. If the sequence begins with a removal, the
 * client has the removed record. If the sequence ends with an addition, the client needs
 * the added record. If the client has the record that it needs, the result contains
 * neither record. If the client has the record with a different TTL, or with a different
 * case of the owner, the result removes this record and adds the needed record. The merge
 * sorts the records, so the merge is fast for any input.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct ixfr_merged {
	/* the old SOA, the removed records, the new SOA, the added records */
	struct buf rrs;
	size_t new_soa;			/* offset of the new SOA in `rrs` */
	uint64_t records;		/* number of records in `rrs`, with two SOAs */
};

/*
 * Merges STEPS: whole differences in order, each with the old SOA, the removed records,
 * the new SOA and the added records. False: the steps contradict each other, and there is
 * no result. The steps contradict each other if a step adds a record that already exists,
 * or removes a record that is missing. A record with a different TTL, or with a different
 * case of the owner, counts as missing.
 */
bool ixfr_merge(const struct buf *steps, struct ixfr_merged *merged);
