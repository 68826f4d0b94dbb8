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
 * reasons_set() for an answer about one domain. If a limit of the backend may cause the
 * failure of a server, the function also looks for the record. For this, it runs two more
 * statements. They look at the first 5000 record sets, and read at most LIMIT_NAMES_MAX
 * names. Returns the record sets beyond limits, or NULL.
 */
const struct limits_found *reasons_explain(struct tx *tx, struct arena *arena,
                                           struct zone *zone);
/*
 * For the answer to a change: returns the text about a worker that the pool needs and
 * that is not running; NULL: all of them are running. Sends a statement only if it last
 * read the workers WORKERS_AGE_MS ago, or if one was missing MISSING_AGE_MS ago. Call it
 * on the event loop.
 */
enum { WORKERS_AGE_MS = 2000, MISSING_AGE_MS = 200 };
const char *reasons_missing_worker(struct tx *tx, struct arena *arena, const char *pool);
