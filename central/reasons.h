/*
 * reasons -- finds the reasons why domains are not ACTIVE, for an answer. core/reason.h
 * decides which reason an answer gives. This module reads which workers are running,
 * which pools have no server in service, and what the name servers have reported. This
 * module writes nothing. The column `reason` of the table domains still contains the text
 * of the last report.
 */
#pragma once

#include "core/limits.h"
#include "store.h"

/*
 * Sets the reason of each zone in ZONES (0 to FIND_LIMIT_MAX zones). The reason of an
 * ACTIVE domain is unchanged. If all domains are ACTIVE, the function sends no statement.
 * If some domains are not ACTIVE, the function sends one statement to read the workers
 * and the pools without a server in service. It also sends one statement for every
 * TX_LIST_MAX domains that are not ACTIVE, to read the reports about these domains.
 * Errors are in the transaction.
 */
void reasons_set(struct tx *tx, struct arena *arena, struct zone *const *zones,
                 size_t count);
/*
 * Like reasons_set(), but for an answer about one domain. If a limit of the backend is a
 * possible cause of the failure of a server, the function also looks for the record sets
 * beyond the limit. For this search, the function sends two more statements. The first
 * statement selects at most LIMIT_NAMES_MAX names from the first 5000 record sets of the
 * domain. The second statement reads the record sets at these names. Returns the record
 * sets beyond limits. NULL: no record set is beyond a limit, or the function did not look
 * for them.
 */
const struct limits_found *reasons_explain(struct tx *tx, struct arena *arena,
                                           struct zone *zone);
/*
 * Returns a warning for the answer to a change, if a worker that the pool needs is not
 * running, or if no name server of the pool is in service. NULL: there is no such
 * warning. The function uses the result of its last read of the workers and servers for
 * WORKERS_AGE_MS. If the last read shows that there is a warning, the function reads
 * again after MISSING_AGE_MS. Call the function only on the event loop.
 */
enum { WORKERS_AGE_MS = 2000, MISSING_AGE_MS = 200 };
const char *reasons_missing_worker(struct tx *tx, struct arena *arena, const char *pool);
