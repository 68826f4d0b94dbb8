/*
 * edit -- makes one change to a domain. This module locks the row of the domain,
 * determines the new serial, and reads the record sets at the names of the changes. The
 * functions of core/ apply and check the changes. Then this module writes the differences
 * and a row of the journal under the new serial.
 *
 * Each call that changes the domain gets its own serial, even if several calls share a
 * transaction. The new serial is the next serial or the current time, whichever is newer.
 * The records, the journal row and the answer of the call contain this serial. The
 * version of the domain grows by one. An import gets one serial. Each update of a catalog
 * zone (catalog.h) gets one serial. The serial stays the same if a call deletes the
 * domain, or if it changes only the description of the domain or the managers of records.
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
	bool has_ttl;			/* the call sets the default TTL */
	uint32_t ttl;
	const char *description, *attributes;	/* NULL: unchanged */
	/* the call sets the serial, which must be newer than the serial of the domain */
	bool has_serial;
	uint32_t serial;
};

/*
 * Returns the limit that applies to the caller. OWN: the limit of the tenant. If OWN is
 * QUOTA_DEFAULT, the result is CONFIGURED, the limit in the settings. -1: no limit. For
 * an administrator, the result is always -1.
 */
int64_t edit_quota(const struct write *write, int64_t own, int configured);

struct edit_outcome {
	bool changed;			/* false: no new serial */
	size_t added, updated, deleted, unchanged;
	/*
	 * changed record sets that some kinds of name server refuse; NULL: there is no
	 * such record set
	 */
	const struct limits_found *limits;
	/* warnings about changed record sets (core/advice_set.h) */
	struct advice advice;
};

/*
 * Checks that a caller may change the locked domain. ERR_CONFLICT: the domain is being
 * deleted, or is a catalog zone. (An administrator may set a new serial of a catalog
 * zone.)
 */
enum err edit_check_open(struct write *write);
/* Checks the argument `version`. ERR_CONFLICT: the domain has a different version. */
enum err edit_check_version(struct write *write);
/* Reads the argument `force` into write->is_forced. */
static inline enum err edit_read_force(struct write *write)
{
	return json_get_bool(write->req->args, "force", 0, &write->is_forced,
	                     &write->req->why);
}
/* The reason for a caller that has only a share of the domain. */
#define DOMAIN_IS_SHARED \
	"only the tenant of the domain %.200s may make this call: the domain is shared " \
	"with your tenant, which may only change its own record sets"
/*
 * Locks the domain KEY for a change. Calls the three functions above, and returns the
 * first error. ERR_NOT_FOUND: there is no such domain, or the caller may not see it.
 * ERR_DENIED: the tenant of the caller has only a share of the domain.
 */
enum err edit_lock(struct write *write, const struct domain_key *key);
/*
 * Like edit_lock(), but also accepts a caller whose tenant has a share of the domain.
 * Sets write->share for such a caller, so that edit_apply() checks its rights.
 */
enum err edit_lock_shared(struct write *write, const struct domain_key *key);
/*
 * Applies EDIT to the locked write->zone and writes the rows. If the domain gets a new
 * serial, sets write->cast_method.
 *
 * A change to one record needs 10 round trips: BEGIN; lock the domain; read the record
 * sets; write the version, the domain, the record set (its time of change), the record,
 * the journal and the answer; COMMIT. Each of the following facts adds one round trip:
 *
 *	domains exist below this domain
 *	the change adds records at a new name (edit_dname.h)
 *	a record names a host inside the zone (advise.h)
 *	a kind of name server refuses the result (core/limits.h)
 *
 * A large change needs one more round trip for every further 500 names that it reads, and
 * for every further 256 rows that it writes. The calls of a group (write.h) share the 10
 * round trips if each call is the first call about its domain and contains at most 8
 * changes. The calls do not share the additional round trips.
 */
enum err edit_apply(struct write *write, const struct edit *edit,
                    struct edit_outcome *outcome);
/*
 * Reads the record sets of several calls with one statement. The function handles only
 * calls with a locked_zone and with 1 to 8 changes. For these calls, edit_apply() does
 * not read the record sets again.
 */
void edit_prefetch(struct tx *tx, struct write *writes, size_t count);
/*
 * Writes the first record sets of a domain that was just inserted, without a new serial
 * and without a journal.
 */
enum err edit_fill(struct write *write, struct change *changes, size_t count);
