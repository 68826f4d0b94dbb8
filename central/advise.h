/*
 * advise -- makes the warnings in an answer (field `warnings`). The warnings are about
 * hosts without addresses (core/advice.h), about records that contradict each other
 * (core/advice_set.h), about record sets that name servers of the pool do not take
 * (core/limits.h), and about a missing worker or name server (reasons.h). This module
 * reads the record sets and the name servers that the warnings need. An answer has at
 * most ADVICE_MAX warnings about records, and one warning with the number of further
 * warnings. This module sends one SQL statement if a record names a host inside the zone,
 * and one if a record set is beyond a limit. The warning about a missing worker or name
 * server may need one more statement.
 */
#pragma once

#include <jansson.h>

#include "core/changes.h"
#include "edit.h"
#include "write.h"

/*
 * Returns the warnings about CHANGES, and the warning about a missing worker or name
 * server. OUTCOME: the result of edit_apply() for CHANGES. Call this function after
 * edit_apply(), because it may send the rows in write->buffer to the database.
 */
json_t *advise_changes(struct write *write, const struct change *changes, size_t count,
                       const struct edit_outcome *outcome);
/*
 * Adds the warnings about a new domain to WARNINGS: name servers of the pool do not take
 * the name of the domain, the domain above does not delegate the new domain, or the new
 * domain does not delegate domains below it. The function warns only about domains that
 * the caller may see. The function sends two SQL statements to find the domain above and
 * the domains below. It sends one more statement if the caller may see the domain above,
 * and at most eight more for the domains below. It sends one more statement if a kind of
 * name server refuses the name.
 */
void advise_domain(struct write *write, json_t *warnings);
/*
 * Returns the warnings about all records at OWNERS. OWNERS: at most STORE_NAMES_MAX names
 * of the domain.
 */
json_t *advise_names(struct write *write, const char *const *owners, size_t count);
