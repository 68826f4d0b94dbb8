/*
 * edit_dname -- checks that no name has records below a DNAME record (RFC 6672 2.4). The
 * rule also concerns names that are not in the change, so central reads these names from
 * the database. central checks only names that had no records before the change, and new
 * DNAME records. Existing records that violate the rule stay.
 */
#pragma once

#include "write.h"

/*
 * Checks SETS, the result of the changes. ERR_INVALID: the result violates the rule, or
 * one call adds DNAME records at more than 50 names, or at names with more than 4
 * different numbers of labels.
 */
enum err edit_check_dname(struct write *write, const struct rrsets *sets);
