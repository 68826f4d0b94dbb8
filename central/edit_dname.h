/*
 * edit_dname -- no name has records below a DNAME (RFC 6672 2.4). The rule also concerns
 * names that a change does not contain, so central checks them in the database. central
 * checks only names that had no records before the change, and new DNAME records.
 * Existing records that violate the rule stay.
 */
#pragma once

#include "write.h"

/* ERR_INVALID: the result of the changes, SETS, violates the rule. */
enum err edit_check_dname(struct write *write, const struct rrsets *sets);
