/*
 * store_transfer -- moves the rows for the record sets of an order to another registry. A
 * function with the parameter STATE handles only the items of the order that have this
 * state.
 *
 * Before the transfer of the record sets, the round copies the endpoints to the new
 * registry. When the new registry owns the record sets, the round deletes the endpoints
 * of the old registry. So at any time, each endpoint is in at least one registry. Until
 * the order is complete, the copy contains the id of the order. If the order fails, the
 * round deletes the copy, unless a producer has sent the same endpoint to the new
 * registry.
 */
#pragma once

#include <stdbool.h>

#include "runtime/tx.h"

struct transfer {
	/* ids of the order, the old and the new registry */
	const char *order, *from, *to;
};

/*
 * Locks the rows of all resources of both registries. Calls of producers lock the same
 * rows. Call it before the other functions.
 */
void store_transfer_lock(struct tx *tx, const struct transfer *transfer);
/* Copies the endpoints to the new registry. */
void store_transfer_copy(struct tx *tx, const struct transfer *transfer,
                         const char *state);
/* Deletes copies of endpoints that the old registry no longer has. */
void store_transfer_drop_stale(struct tx *tx, const struct transfer *transfer,
                               const char *state);
/* Deletes all copies. The sets still belong to the old registry. */
void store_transfer_undo(struct tx *tx, const struct transfer *transfer,
                         const char *state);
/* Turns the copies into endpoints of the new registry, and deletes the old endpoints. */
void store_transfer_forget(struct tx *tx, const struct transfer *transfer,
                           const char *state);
/*
 * Moves the owned rows. IS_IN_ZONE: the storage is "txt". If the new registry already
 * has a row with records for the same set, the result depends on the storage: with
 * "table", TX fails with ERR_EXISTS. With "txt", the function replaces this row.
 */
void store_transfer_owned(struct tx *tx, const struct transfer *transfer,
                          const char *state, bool is_in_zone);
