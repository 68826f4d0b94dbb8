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
 * Sets the reason of each of ZONES (0 to FIND_LIMIT_MAX). The reason of an ACTIVE domain
 * is unchanged. Sends no statement if all domains are ACTIVE. Otherwise sends one
 * statement for the workers, and one for the servers of every TX_LIST_MAX domains. An
 * error is in the transaction.
 */
void reasons_set(struct tx *tx, struct arena *arena, struct zone *const *zones,
                 size_t count);
/*
 * Like reasons_set(), but for an answer about one domain. If a limit of the backend may
 * cause the failure of a server, the function also looks for the record sets beyond the
 * limit. Two more statements look at the first 5000 record sets, and read at most
 * LIMIT_NAMES_MAX names. Returns the record sets beyond limits, or NULL.
 */
const struct limits_found *reasons_explain(struct tx *tx, struct arena *arena,
                                           struct zone *zone);
/*
 * Returns a warning for the answer to a change: a worker that the pool needs is not
 * running, or no name server of the pool is in service. NULL: there is no such warning.
 * Reads the workers and the servers again only after WORKERS_AGE_MS, or after
 * MISSING_AGE_MS if there was a warning. Call it on the event loop.
 */
enum { WORKERS_AGE_MS = 2000, MISSING_AGE_MS = 200 };
const char *reasons_missing_worker(struct tx *tx, struct arena *arena, const char *pool);
