/*
 * reasons -- finds the reasons why domains are not ACTIVE, for an answer. core/reason.h
 * decides which reason an answer gives. This module reads which workers are running,
 * which pools have no server in service, and what the name servers have reported. This
 * module writes nothing. The column `reason` of the table domains keeps the text of the
 * last report.
 */
#pragma once

#include "core/limits.h"
#include "store.h"

/*
 * Sets the reason of each of ZONES (0 to FIND_LIMIT_MAX). The reason of an ACTIVE domain
 * is unchanged. If all domains are ACTIVE, the function sends no statement. Otherwise it
 * sends one statement to read the workers and the pools without a server in service, and
 * one statement to read the reports for every TX_LIST_MAX domains that are not ACTIVE.
 * Errors are in the transaction.
 */
void reasons_set(struct tx *tx, struct arena *arena, struct zone *const *zones,
                 size_t count);
/*
 * Like reasons_set(), but for an answer about one domain. If a limit of the backend may
 * cause the failure of a server, the function also looks for the record sets beyond the
 * limit. Two more statements look at the first 5000 record sets of the domain, and read
 * the record sets at up to LIMIT_NAMES_MAX names. Returns the record sets beyond limits;
 * NULL: there are none, or the function did not look for them.
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
