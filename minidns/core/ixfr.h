/*
 * ixfr -- the way from one serial to another (RFC 1995): the old SOA, what
 * was removed, the new SOA, what was added, between two copies of the new
 * SOA. The changes of the journal are proven to be an unbroken chain of
 * well-formed records; several are merged into one (ixfr_merge.h), so
 * that a client that is far behind is sent what it lacks, not what the zone
 * went through. A delta is made once and shared by all servers that ask for
 * the same; the generator works as that of axfr.h does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "core/query.h"
#include "model/rr.h"

/* A row of the journal: RRs in wire form, the old and the new SOA first in each. */
struct ixfr_step {
	uint32_t previous_serial, serial;
	const uint8_t *removed, *added;
	size_t removed_len, added_len;
};

struct delta {
	uint32_t from, to;
	unsigned users;
	uint64_t records;		/* with the two SOAs */
	struct buf rrs;			/* SOA of `from`, removed, SOA of `to`, added */
	size_t newest_soa;		/* where in it the SOA of `to` stands */
};

/*
 * The steps in any order, with others among them, for zone APEX. NULL: they do not lead
 * from FROM to TO, hold what is no record of the zone, or contradict each other: send the
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
 * As axfr_next(). Over UDP SIZE is what the client takes: then
 * only one message counts.
 */
size_t ixfr_next(struct ixfr *ixfr, bool tcp, uint8_t *data, size_t size);
