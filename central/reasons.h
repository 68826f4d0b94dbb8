/*
 * reasons -- finds, for an answer, the reasons why domains are not ACTIVE. core/reason.h
 * decides; this module reads which workers are running and what the name servers have
 * reported. It only reads: the column `reason` of the table domains keeps the text of the
 * last report.
 */
#pragma once

#include "core/limits.h"
#include "store.h"

/*
 * Sets the reason of each of ZONES, 0 to FIND_LIMIT_MAX. Domains that are ACTIVE keep
 * theirs. Sends no statement if all are ACTIVE, otherwise one for the workers, and one
 * for the servers of TX_LIST_MAX domains. An error is in the transaction.
 */
void reasons_set(struct tx *tx, struct arena *arena, struct zone *const *zones,
                 size_t count);
/*
 * reasons_set() for an answer about one domain. If a server has a failure that a limit of
 * its backend may cause, it also looks for the record: two statements more, which look at
 * the first 5000 record sets and read at most LIMIT_NAMES_MAX names. Returns the record
 * sets beyond limits, or NULL.
 */
const struct limits_found *reasons_explain(struct tx *tx, struct arena *arena,
                                           struct zone *zone);
/* reasons_set() for a domain that this transaction has created: only workers count. */
void reasons_set_new(struct tx *tx, struct arena *arena, struct zone *zone);
