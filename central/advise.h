/*
 * advise -- makes the warnings in an answer (field `warnings`). The warnings are about
 * hosts without addresses (core/advice.h), about records that contradict each other
 * (core/advice_set.h), about record sets that name servers of the pool refuse
 * (core/limits.h), and about a missing worker or name server (reasons.h). This module
 * reads the record sets and the name servers that the warnings need. An answer contains
 * at most ADVICE_MAX warnings about records, and one warning with the number of further
 * warnings. For a change, this module sends one SQL statement if a record names a host
 * inside the zone, and one more statement if a record set is beyond a limit. The warning
 * about a missing worker or name server sometimes needs another statement.
 */
#pragma once

#include <jansson.h>

#include "core/changes.h"
#include "edit.h"
#include "write.h"

/*
 * Returns the warnings about CHANGES, and the warning about a missing worker or name
 * server. OUTCOME: the result of edit_apply() for CHANGES. Call advise_changes() after
 * edit_apply(), because advise_changes() can flush write->buffer.
 */
json_t *advise_changes(struct write *write, const struct change *changes, size_t count,
                       const struct edit_outcome *outcome);
/*
 * Adds the warnings about a new domain to WARNINGS. There is a warning if name servers of
 * the pool refuse the name of the domain. There is also a warning if the domain above
 * does not delegate the new domain, or if the new domain does not delegate a domain below
 * it. The function warns only about domains that the caller may see. The function sends
 * two SQL statements to find the domain above and the domains below. If the caller may
 * see the domain above, the function sends one more statement. For the domains below, the
 * function sends at most eight more statements. If a kind of name server refuses the
 * name, the function sends one more statement.
 */
void advise_domain(struct write *write, json_t *warnings);
/*
 * Returns the warnings about all records at OWNERS. OWNERS: at most STORE_NAMES_MAX names
 * of the domain.
 */
json_t *advise_names(struct write *write, const char *const *owners, size_t count);
