/* scope -- the domains of a pool that belong to the share of one process. */
#pragma once

#include "consistency/election.h"

struct scope {
	const char *pool;
	struct share share;
};
