/*
 * id_cycle -- one cycle through all domains in the order of their ids, in slices. A cycle
 * begins after an id, the origin, and continues to the last id. Then the cycle runs from
 * the first id to the origin. If the caller cannot handle the whole cycle, the caller
 * ends the cycle early. The next cycle begins where this cycle ended. So each domain gets
 * its turn, even under load.
 */
#pragma once

#include <stdbool.h>

#include "base/id.h"

/* Greater than each id. */
#define ID_CYCLE_END "~"

struct id_cycle {
	char origin[ID_LEN + 1];
	/* the current slice: after < id <= upto */
	char after[ID_LEN + 1], upto[ID_LEN + 1];
	char next_origin[ID_LEN + 1];
	/* a caller has cut the cycle: the next cycle begins at next_origin */
	bool is_cut;
	bool is_cut_here;		/* next_origin is in the current slice */
	bool round_the_end;
};

/* Begins a cycle at the last cut. If there is no cut, begins at ANYWHERE. */
void id_cycle_begin(struct id_cycle *cycle, const char *anywhere);
/*
 * Returns the end of the current part of the cycle. A slice must not go beyond this end.
 */
const char *id_cycle_limit(const struct id_cycle *cycle);
/* Sets the end of the current slice to UPTO. */
void id_cycle_set_slice(struct id_cycle *cycle, const char *upto);
/*
 * Call it if you could not handle the domains after LAST in the current slice. The next
 * cycle begins after LAST, or at an earlier cut.
 */
void id_cycle_cut(struct id_cycle *cycle, const char *last);
/* Call it when the current slice is finished. False: the whole cycle is finished. */
bool id_cycle_next(struct id_cycle *cycle);
