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
#define CIRCUIT_END "~"

struct circuit {
	char origin[ID_LEN + 1];
	char after[ID_LEN + 1], upto[ID_LEN + 1];	/* the slice: after < id <= upto */
	char next_origin[ID_LEN + 1];
	bool is_cut;			/* the next circuit begins at next_origin, */
	bool is_cut_here;		/* which is in the slice in hand */
	bool round_the_end;
};

/* From where the circuit before was cut, or else from ANYWHERE. */
void circuit_begin(struct circuit *circuit, const char *anywhere);
/* No slice reaches further. */
const char *circuit_limit(const struct circuit *circuit);
/* The slice in hand ends at UPTO. */
void circuit_slice(struct circuit *circuit, const char *upto);
/*
 * What is behind LAST, in the slice in hand, could not be taken up, though something was
 * in this circuit: the next one begins there, or at another such place that comes first.
 */
void circuit_cut(struct circuit *circuit, const char *last);
/* The slice in hand is done. False: so is the circuit. */
bool circuit_go_on(struct circuit *circuit);
