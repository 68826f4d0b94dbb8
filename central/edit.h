/*
 * edit -- makes one change to a domain. This module locks the row of the domain,
 * determines the new serial, and reads the record sets at the names of the changes. The
 * functions of core/ apply and check the changes. Then this module writes the differences
 * and a row of the journal under the new serial.
 *
 * Each call that changes the domain gets its own serial, even if several calls share a
 * transaction. The new serial is the next serial or the current time, whichever is newer.
 * The records, the journal row and the answer of the call contain this serial. The
 * version of the domain grows by one. An import gets one serial. In a round of catalog.h,
 * each catalog zone gets one serial. If a call only changes the description of a domain,
 * or deletes the domain, the serial stays the same.
 */
#pragma once

#include "core/advice.h"
#include "core/changes.h"
#include "core/limits.h"
#include "model/json.h"
#include "write.h"

struct edit {
	struct change *changes;
	size_t count;
	struct soa_spec soa;
	bool has_ttl;			/* a new default TTL */
	uint32_t ttl;
	const char *description;	/* NULL: unchanged */
	/* the caller gives the serial, which must be newer than the domain's serial */
	bool has_serial;
	uint32_t serial;
};

/*
 * Returns the limit for the caller: OWN (the limit of the tenant) or CONFIGURED. -1: no
 * limit.
 */
int64_t edit_quota(const struct write *write, int64_t own, int configured);

struct edit_outcome {
	bool changed;			/* false: no new serial */
	size_t added, updated, deleted, unchanged;
	/*
	 * changed record sets that some name servers do not take; NULL: no such record
	 * set
	 */
	const struct limits_found *limits;
	struct advice advice;		/* about changed record sets (core/advice_set.h) */
};

/* ERR_CONFLICT: the locked domain is being deleted, or is a catalog zone. */
enum err edit_check_open(struct write *write);
/* ERR_CONFLICT: the caller has read a different version (the argument `version`). */
enum err edit_check_version(struct write *write);
/* Reads the argument `force` into write->is_forced. */
static inline enum err edit_read_force(struct write *write)
{
	return json_get_bool(write->req->args, "force", 0, &write->is_forced,
	                     &write->req->why);
}
/*
 * Locks the domain for a change, and reads `force`. Returns ERR_NOT_FOUND, or an error of
 * the functions above.
 */
enum err edit_lock(struct write *write, const struct domain_key *key);
/*
 * Changes the locked write->zone and its rows. Sets write->cast_method.
 *
 * A change to one record needs 10 round trips: BEGIN, lock, read the record sets, write
 * the version, the domain, the record set (its time of change), the record, the journal,
 * the answer, COMMIT. If domains exist below this domain, the change needs one
 * more round trip. If a name server does not take the result (core/limits.h), the
 * warnings of the change need one more round trip; otherwise this check needs none. The
 * change also needs one more round trip for every further 500 names that it reads, or 256
 * rows that it writes. The calls of a group (write.h) share
 * all round trips except the one for domains below, if they are the first calls about
 * their domains and have few changes.
 */
enum err edit_apply(struct write *write, const struct edit *edit,
                    struct edit_outcome *outcome);
/*
 * Reads the record sets of small edits with one statement, for calls that have a
 * locked_zone. edit_apply() does not read these sets again.
 */
void edit_prefetch(struct tx *tx, struct write *writes, size_t count);
/*
 * Writes the first record sets of a domain that was just inserted, without a new serial
 * and without a journal.
 */
enum err edit_fill(struct write *write, struct change *changes, size_t count);
