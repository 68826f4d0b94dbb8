/*
 * id_cycle -- one cycle through all domains in the order of their ids, slice by slice. It
 * begins after an origin, goes to the last id, then from the first id to the origin. A
 * caller that cannot handle all of a cycle cuts it: the next cycle begins at that place,
 * so each domain gets its turn under load. Pure.
 */
#pragma once

#include <stdbool.h>

#include "base/id.h"

/* Sorts after each id. */
#define ID_CYCLE_END "~"

struct id_cycle {
	char origin[ID_LEN + 1];
	char after[ID_LEN + 1], upto[ID_LEN + 1];	/* after < id <= upto */
	char next_origin[ID_LEN + 1];
	bool is_cut;			/* the next cycle begins at next_origin, */
	bool is_cut_here;		/* which is in the current slice */
	bool round_the_end;
};

/* Begins at the cut of the last cycle, or else at ANYWHERE. */
void id_cycle_begin(struct id_cycle *cycle, const char *anywhere);
/* The end of the current part: no slice may go past it. */
const char *id_cycle_limit(const struct id_cycle *cycle);
/* The current slice ends at UPTO. */
void id_cycle_set_slice(struct id_cycle *cycle, const char *upto);
/*
 * The caller could not handle the domains after LAST in the current slice. The next cycle
 * begins there, or at an earlier cut.
 */
void id_cycle_cut(struct id_cycle *cycle, const char *last);
/* The current slice is done. False: the cycle is done. */
bool id_cycle_next(struct id_cycle *cycle);
