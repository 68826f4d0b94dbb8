/*
 * advise -- the field `warnings` of an answer: about hosts without addresses
 * (core/advice.h), about records that contradict each other (core/advice_set.h), about
 * record sets that name servers of the pool do not take (core/limits.h), and about a
 * worker that is not running (reasons.h). This module reads the record sets and the name
 * servers that the warnings need. It returns at most ADVICE_MAX warnings about records,
 * and one that counts the further warnings. If a change has no host inside the zone and
 * is not beyond a limit, these warnings need no statement. The limits need one statement,
 * whatever the number of record sets. The warning about a worker may need one more
 * statement.
 */
#pragma once

#include <jansson.h>

#include "core/changes.h"
#include "edit.h"
#include "write.h"

/*
 * Returns the warnings about the records that CHANGES add. OUTCOME: the result of
 * edit_apply(). Call it after the write, because it sends the rows in write->buffer to
 * the database.
 */
json_t *advise_changes(struct write *write, const struct change *changes, size_t count,
                       const struct edit_outcome *outcome);
/*
 * Adds the warnings about a new domain: name servers of the pool do not take its name,
 * the domain above it does not delegate it, or it does not delegate domains below it.
 * Warns only about domains that the caller may see. Sends two statements. Sends one more
 * if the caller may see the domain above, at most eight for the domains below, and one
 * more if a kind of server does not take the name.
 */
void advise_domain(struct write *write, json_t *warnings);
/*
 * Returns the warnings about all records at OWNERS: names of the domain, at most
 * STORE_NAMES_MAX.
 */
json_t *advise_names(struct write *write, const char *const *owners, size_t count);
