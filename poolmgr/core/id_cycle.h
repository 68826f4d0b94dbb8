/*
 * id_cycle -- one cycle through all domains in the order of their ids, in slices. A cycle
 * begins after an id, the origin, and continues to the last id. Then the cycle runs from
 * the first id to the origin. If the caller cannot handle all domains of a cycle, the
 * caller marks the last handled domain (id_cycle_cut()). The next cycle begins after the
 * first marked domain. So each domain gets its turn, even under load.
 */
#pragma once

#include <stdbool.h>

#include "base/id.h"

/* A text that is greater than each id. */
#define ID_CYCLE_END "~"

struct id_cycle {
	char origin[ID_LEN + 1];
	/* ids of the current slice: after < id <= upto */
	char after[ID_LEN + 1], upto[ID_LEN + 1];
	char next_origin[ID_LEN + 1];
	/* id_cycle_cut() has set next_origin. The next cycle begins after this id */
	bool is_cut;
	bool is_cut_here;		/* next_origin is in the current slice */
	bool round_the_end;		/* the cycle has passed the last id */
};

/*
 * Begins a cycle after the id at which id_cycle_cut() cut the previous cycle. If there
 * was no cut, the cycle begins after the id ANYWHERE.
 */
void id_cycle_begin(struct id_cycle *cycle, const char *anywhere);
/*
 * Returns the largest id that the next slice may contain: ID_CYCLE_END, or the origin if
 * the cycle has passed the last id.
 */
const char *id_cycle_limit(const struct id_cycle *cycle);
/* Sets the end of the current slice to UPTO. */
void id_cycle_set_slice(struct id_cycle *cycle, const char *upto);
/*
 * Call it if you could not handle the domains after LAST in the current slice. The next
 * cycle begins after LAST, unless an earlier domain of this cycle is already marked. In
 * this case, the next cycle begins after this earlier domain.
 */
void id_cycle_cut(struct id_cycle *cycle, const char *last);
/*
 * Moves to the next slice. Call it when the current slice is finished. False: the whole
 * cycle is finished.
 */
bool id_cycle_next(struct id_cycle *cycle);
