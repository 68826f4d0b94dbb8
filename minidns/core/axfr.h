/*
 * axfr -- a whole zone as a row of messages (RFC 5936): the SOA first and
 * last, the question in the first message only, one id in all. A generator:
 * it keeps its place in the zone and makes a message when asked, so that a
 * transfer needs the memory of one message, whatever the zone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/query.h"
#include "core/zone.h"

struct axfr {
	struct query *query;
	const struct zone *zone;
	/* record set in hand, and its records still to go */
	uint32_t set, left;
	uint32_t node;			/* whose it is */
	uint32_t rdata;
	/* written so far; the closing SOA is one more than there are */
	uint64_t records;
	bool started, ended;
};

/* QUERY and ZONE are borrowed until the end; an IXFR may be answered this way, too. */
void axfr_init(struct axfr *axfr, struct query *query, const struct zone *zone);
/*
 * The next message into DATA; its length, or 0 when all was
 * said. SIZE is at least 65535.
 */
size_t axfr_next(struct axfr *axfr, uint8_t *data, size_t size);
