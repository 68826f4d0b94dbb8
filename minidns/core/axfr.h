/*
 * axfr -- writes a whole zone as a sequence of messages (RFC 5936). The SOA is the first
 * and the last record. Only the first message contains the question. All messages have
 * the same id. Each call of axfr_next() writes one message. struct axfr contains the
 * position in the zone. A transfer needs memory for only one message, even if the zone
 * is large.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/query.h"
#include "core/zone.h"

struct axfr {
	struct query *query;
	const struct zone *zone;
	/* index of the current record set, and number of its unwritten records */
	uint32_t set, left;
	uint32_t node;			/* index of the node that owns this record set */
	uint32_t rdata;
	/* number of records written so far, including both copies of the SOA */
	uint64_t records;
	bool started, ended;
};

/*
 * Begins a transfer. Borrows QUERY and ZONE until the end of the transfer. QUERY is an
 * AXFR or an IXFR.
 */
void axfr_init(struct axfr *axfr, struct query *query, const struct zone *zone);
/*
 * Writes the next message into DATA. Returns the length of the message, or 0 after the
 * last message. SIZE is at least 65535.
 */
size_t axfr_next(struct axfr *axfr, uint8_t *data, size_t size);
