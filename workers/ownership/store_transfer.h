/*
 * store_give -- rows that go to another registry with the sets of an order, whatever
 * their number by one statement each: the sets are the order's items of a state.
 *
 * What is wanted is copied first, and forgotten where it was only when the set is the
 * other's, so that at no time nobody wants it. Until then a copy names its order, for
 * it goes again if nothing comes of it, unless somebody asked there for the same.
 */
#pragma once

#include <stdbool.h>

#include "runtime/tx.h"

struct transfer {
	const char *order, *from, *to;	/* ids: of the order, and of two registries */
};

/* First of all, as a producer's call does: until the end nobody asks for other things. */
void store_transfer_lock(struct tx *tx, const struct transfer *transfer);
/* Who wants a set in one, wants it in the other, too, and just so. */
void store_transfer_copy(struct tx *tx, const struct transfer *transfer,
                         const char *state);
/* Copies of what nobody wants in the one any more. */
void store_transfer_drop_stale(struct tx *tx, const struct transfer *transfer,
                               const char *state);
/* All copies: the sets stay where they are. */
void store_transfer_undo(struct tx *tx, const struct transfer *transfer,
                         const char *state);
/* The sets are the other's: what was copied is its own, and nothing is wanted here. */
void store_transfer_forget(struct tx *tx, const struct transfer *transfer,
                           const char *state);
/*
 * What was made. Where rows are the marks, one that the other was seen to have stays, and
 * that is ERR_EXISTS; else it is only memory, and replaced.
 */
void store_transfer_owned(struct tx *tx, const struct transfer *transfer,
                          const char *state, bool is_in_zone);
