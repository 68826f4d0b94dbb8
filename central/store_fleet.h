/*
 * store_fleet -- reads the processes, locks and repairs of the fleet for operators. The
 * code in workers/consistency writes these tables.
 */
#pragma once

#include <jansson.h>

#include "runtime/tx.h"

enum { FLEET_ROWS = 1000 };		/* in one list */

/* Both functions make a list of JSON objects for the answer. */
json_t *store_fleet_workers(struct tx *tx, struct arena *arena);
json_t *store_fleet_locks(struct tx *tx, struct arena *arena);
/*
 * Makes a list of all drifts, followed by all repairs. Both parts begin with the newest
 * entry.
 */
json_t *store_fleet_repairs(struct tx *tx, struct arena *arena);
