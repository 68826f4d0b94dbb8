/*
 * share -- merges the records of several owners that share one record set. Each of these
 * owners has an ownership mark with the labels "shared=true" and "part" (mark.h). The
 * label "part" contains hashes of the desired records of the owner, because the ownership
 * mark has no room for the records themselves. zonefleet-ownership removes a record only
 * if this registry desired the record before and no other owner desires the record.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "core/rrset.h"
#include "core/view.h"

/* maximum number of records that one owner may have in a shared set */
enum { SHARE_RECORDS_MAX = 200 };

/*
 * Makes the value of the label "part" for an owner. SET contains the desired records of
 * this owner.
 */
const char *share_part(const struct rrset *set, struct arena *arena);
/* True: the set has a mark of another owner. */
bool share_has_others(const struct view_set *set);
/*
 * Returns the records that SET should have: the current records of SET and the records
 * of WANTED. The result does not contain a current record that only this registry
 * desired before, unless WANTED contains this record. WANTED may be NULL.
 */
struct rrset share_merge(const struct view_set *set, const struct rrset *wanted,
                         struct arena *arena);
