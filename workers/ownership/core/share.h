/*
 * share -- several owners of one set. Each has a mark with "shared=true" and a label
 * "part", which has hashes of the records that the owner wants: a mark has no room for
 * the records. An owner removes only records that no other owner wants.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "core/rrset.h"
#include "core/view.h"

enum { SHARE_RECORDS_MAX = 200 };	/* of a set, for one owner */

/* The label "part" of an owner that wants the records of SET. */
const char *share_part(const struct rrset *set, struct arena *arena);
/* Has it a mark of another owner? */
bool share_has_others(const struct view_set *set);
/* The set without the records that only we want, with WANTED, which may be NULL. */
struct rrset share_merge(const struct view_set *set, const struct rrset *wanted,
                         struct arena *arena);
