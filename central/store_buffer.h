/*
 * store_buffer -- a write buffer for rows of domains, record sets, records and the
 * journal. All calls of one transaction add their rows to one buffer. A flush writes up
 * to 256 rows of a table with one statement. central flushes the buffer at the end of the
 * transaction (write.c), or before a call reads a domain whose rows are in the buffer.
 *
 * The buffer copies no values. The values must stay valid until the flush. The values
 * are in the arena of the call. The id of the domain is in the struct write of the call.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "core/changes.h"
#include "core/zone.h"
#include "runtime/tx.h"

struct store_buffer;

struct store_buffer *store_buffer_new(void);
void store_buffer_free(struct store_buffer **buffer);

/*
 * Adds a row for an existing, locked domain to the buffer: the state, SOA, TTL,
 * description and counts. Sets changed_at to the current time. The version of ZONE grows
 * by one.
 */
void store_buffer_domain(struct store_buffer *buffer, struct zone *zone);
/*
 * Adds the rows of SETS to the buffer. SETS: record sets that are new, have a new TTL, or
 * have changed records. The caller has already given an id to each record set.
 */
void store_buffer_recordsets(struct store_buffer *buffer, const char *domain_id,
                             struct rrset *const *sets, size_t count);
/*
 * Adds ROWS to the buffer: the rows of new, changed and deleted records. The caller has
 * already given an id to each record.
 */
void store_buffer_records(struct store_buffer *buffer, const char *domain_id,
                          const struct row *rows, size_t count);
/*
 * Adds a row of the journal to the buffer: the RRs that the change from PREVIOUS to
 * SERIAL removed and added, in wire form. REMOVED begins with the old SOA record, ADDED
 * with the new SOA record.
 */
void store_buffer_journal(struct store_buffer *buffer, const char *domain_id,
                          uint32_t previous, uint32_t serial,
                          const struct buf *removed, const struct buf *added);

/* Returns the number of rows of all tables in the buffer. */
size_t store_buffer_count(const struct store_buffer *buffer);
/* Writes all rows and empties the buffer. An error stays in the transaction. */
void store_buffer_flush(struct store_buffer *buffer, struct tx *tx);
void store_buffer_clear(struct store_buffer *buffer);	/* drops all rows */
