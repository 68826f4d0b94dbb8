/*
 * store_fleet -- what an operator sees of the fleet: who is there, who holds what. Only
 * reads; workers/consistency writes these tables.
 */
#pragma once

#include <jansson.h>

#include "runtime/tx.h"

enum { FLEET_ROWS = 1000 };		/* of a list; it says if there are more */

/* Lists of objects, as they are answered. */
json_t *store_fleet_workers(struct tx *tx, struct arena *arena);
json_t *store_fleet_locks(struct tx *tx, struct arena *arena);
/* Suspicions, then what was done, the newest first. */
json_t *store_fleet_repairs(struct tx *tx, struct arena *arena);
