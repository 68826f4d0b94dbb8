/*
 * store_transfer -- moves the rows of an order's sets to another registry. Each function
 * takes all items of the order in STATE.
 *
 * The round copies the endpoints first. It deletes them at the old registry when the new
 * registry owns the sets. So a registry wants the set at every moment. Until then, a
 * copy names its order. The round deletes the copy if the order fails, unless a producer
 * asks the new registry for the same endpoint.
 */
#pragma once

#include <stdbool.h>

#include "runtime/tx.h"

struct transfer {
	const char *order, *from, *to;	/* ids of the order and of two registries */
};

/* Call it first: locks the sources, like a producer's call. */
void store_transfer_lock(struct tx *tx, const struct transfer *transfer);
/* Copies the endpoints. */
void store_transfer_copy(struct tx *tx, const struct transfer *transfer,
                         const char *state);
/* Deletes copies of endpoints that the old registry no longer has. */
void store_transfer_drop_stale(struct tx *tx, const struct transfer *transfer,
                               const char *state);
/* Deletes all copies: the sets stay with the old registry. */
void store_transfer_undo(struct tx *tx, const struct transfer *transfer,
                         const char *state);
/* Makes the copies endpoints of the new registry; deletes the old endpoints. */
void store_transfer_forget(struct tx *tx, const struct transfer *transfer,
                           const char *state);
/*
 * Moves the owned rows. With storage "table" a row of the new registry with records is
 * ERR_EXISTS; with "txt" the moved row replaces it.
 */
void store_transfer_owned(struct tx *tx, const struct transfer *transfer,
                          const char *state, bool is_in_zone);
