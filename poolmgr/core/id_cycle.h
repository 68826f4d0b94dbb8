/*
 * circuit -- once round all domains by their ids, slice by slice, from anywhere: from the
 * first id behind the origin to the last one, then from the first one to the origin. Who
 * cannot take up all that is found begins the next circuit where it had enough, so that
 * under pressure each domain has its turn. Pure.
 */
#pragma once

#include <stdbool.h>

#include "base/id.h"

/* Behind each id. */
#define ID_CYCLE_END "~"

struct id_cycle {
	char origin[ID_LEN + 1];
	char after[ID_LEN + 1], upto[ID_LEN + 1];	/* the slice: after < id <= upto */
	char next_origin[ID_LEN + 1];
	bool is_cut;			/* the next circuit begins at next_origin, */
	bool is_cut_here;		/* which is in the slice in hand */
	bool round_the_end;
};

/* From where the circuit before was cut, or else from ANYWHERE. */
void id_cycle_begin(struct id_cycle *cycle, const char *anywhere);
/* No slice reaches further. */
const char *id_cycle_limit(const struct id_cycle *cycle);
/* The slice in hand ends at UPTO. */
void id_cycle_set_slice(struct id_cycle *cycle, const char *upto);
/*
 * What is behind LAST, in the slice in hand, could not be taken up, though something was
 * in this circuit: the next one begins there, or at another such place that comes first.
 */
void id_cycle_cut(struct id_cycle *cycle, const char *last);
/* The slice in hand is done. False: so is the circuit. */
bool id_cycle_next(struct id_cycle *cycle);
