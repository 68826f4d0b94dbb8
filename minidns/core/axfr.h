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
	/* the current record set, and the number of its unwritten records */
	uint32_t set, left;
	uint32_t node;			/* the owner of the record set */
	uint32_t rdata;
	/* records written so far; the number includes the closing SOA */
	uint64_t records;
	bool started, ended;
};

/* Borrows QUERY and ZONE until the end of the transfer. The query may also be an IXFR. */
void axfr_init(struct axfr *axfr, struct query *query, const struct zone *zone);
/*
 * Writes the next message into DATA. Returns its length, or 0 after the last message.
 * SIZE is at least 65535.
 */
size_t axfr_next(struct axfr *axfr, uint8_t *data, size_t size);
