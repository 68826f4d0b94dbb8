/* scope -- what a process looks after: the domains of the pool that are in its share. */
#pragma once

#include "consistency/election.h"

struct scope {
	const char *pool;
	struct share share;
};
