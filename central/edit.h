/*
 * edit -- the one way in which a domain changes: its row is locked, the new
 * serial is found, the record sets at the touched names are read, the
 * changes are applied and judged (core/), and what differs is written, with
 * its journal row, under that serial.
 *
 * One serial a call. Each call that changes what is served raises the serial, to its
 * successor or to the time, whichever is later, also where calls share a transaction: its
 * records, its journal row and its answer have that serial, its version is one more, and
 * the call behind it begins with what it left. An import is one call. What a catalog zone
 * lists anew in a round has one serial. A new description has none, nor has a deletion.
 *
 * Round trips of a change of one record: BEGIN, lock, read the sets, write the
 * domain, [the set, if it is new or has another TTL], the record, the journal, the
 * request, COMMIT: 8 or 9 (10 below a parent of other domains here). More records
 * cost one more per 500 names read and per 256 rows written. Calls that share a
 * transaction (write.h) share all of them but the look below a parent, if each is the
 * first about its domain and names few.
 */
#pragma once

#include "core/changes.h"
#include "write.h"

struct edit {
	struct change *changes;
	size_t count;
	struct soa_wish soa;
	bool has_ttl;			/* a new default TTL */
	uint32_t ttl;
	const char *description;	/* NULL: as it is */
	bool has_serial;		/* the caller's own: newer than the domain's */
	uint32_t serial;
};

struct edit_outcome {
	bool changed;			/* else there is no new serial */
	size_t added, updated, deleted, unchanged;
};

/* Is the domain, which is locked, one that callers may change? ERR_CONFLICT. */
enum err edit_check_open(struct write *write);
/* Is it as the caller has read it, who may say which version that was? ERR_CONFLICT. */
enum err edit_check_version(struct write *write);
/*
 * Lock the domain for a change: not found, on its way out, or of another version than the
 * caller's, is an error.
 */
enum err edit_lock(struct write *write, const struct domain_key *key);
/* Change write->zone, which is locked; it is then as the row is, and cast_method is set. */
enum err edit_apply(struct write *write, const struct edit *edit,
                    struct edit_outcome *outcome);
/*
 * Read what the edits of these writes touch, of those whose domain is locked and read and
 * that touch little, by one statement: edit_apply() need not read it then.
 */
void edit_read_ahead(struct tx *tx, struct write *writes, size_t count);
/* The first record sets of a domain that was just inserted: no new serial, no journal. */
enum err edit_fill(struct write *write, struct change *changes, size_t count);
