/*
 * ixfr -- writes a delta: the difference between two serials of a zone (RFC 1995). An
 * answer contains the new SOA, the old SOA, the removed records, the new SOA, the added
 * records, and the new SOA again. This module first checks the changes of the journal:
 * their serials must form an unbroken chain, and their records must be well-formed. After
 * the check, the module merges several changes into one delta (ixfr_merge.h). So a client
 * that is far behind gets only the changes that the client needs, not each step of the
 * history. All transfers of the same delta share one copy of the delta. Each call of
 * ixfr_next() writes one message.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "core/query.h"
#include "model/rr.h"

/*
 * A row of the journal, in wire form. `removed` contains the old SOA, then the removed
 * records. `added` contains the new SOA, then the added records.
 */
struct ixfr_step {
	uint32_t previous_serial, serial;
	const uint8_t *removed, *added;
	size_t removed_len, added_len;
};

struct delta {
	uint32_t from, to;
	unsigned users;
	uint64_t records;		/* number of records in `rrs`, with two SOAs */
	/* the SOA of `from`, the removed records, the SOA of `to`, the added records */
	struct buf rrs;
	size_t newest_soa;		/* offset of the SOA of `to` in `rrs` */
};

/*
 * Makes the delta of zone APEX. STEPS may be in any order and may contain steps that do
 * not belong to the chain. NULL: the steps do not form a chain from FROM to TO, contain a
 * record that the zone cannot contain, or contradict each other. In this case, send the
 * whole zone.
 */
struct delta *delta_new(const struct name *apex, uint32_t from, uint32_t to,
                        const struct ixfr_step *steps, size_t count);
struct delta *delta_hold(struct delta *delta);
void delta_release(struct delta **delta);

struct ixfr {
	struct query *query;
	const struct delta *delta;
	size_t at;
	bool started, ended;
};

void ixfr_init(struct ixfr *ixfr, struct query *query, const struct delta *delta);
/*
 * Like axfr_next(), but for a delta. Over UDP, the answer is one message within the limit
 * of the client (query.h). If `ended` is false after this message, the delta did not fit.
 */
size_t ixfr_next(struct ixfr *ixfr, bool tcp, uint8_t *data, size_t size);
