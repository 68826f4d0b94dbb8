/*
 * share -- several owners of one set: each has a mark with "shared=true", and in "part"
 * which of its records it wants, by hashes, for a mark has no room for the records. An
 * owner that changes its mind takes away what is its part alone by then: a record that
 * two want stays as long as one of them does.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "core/rrset.h"
#include "core/view.h"

enum { SHARE_RECORDS_MAX = 200 };	/* that one owner can want of a set */

/* The part of who wants the records of SET. */
const char *share_part(const struct rrset *set, struct arena *arena);
/* Do others than we have a mark on it? */
bool share_has_others(const struct view_set *set);
/* The set without what nobody but us wants, and with WANTED, which may be NULL. */
struct rrset share_merge(const struct view_set *set, const struct rrset *wanted,
                         struct arena *arena);
