/* listing -- the names of an answer, as driver.h's list() gives them: in an arena. */
#pragma once

#include <stddef.h>

#include "base/arena.h"

struct listing {
	struct arena *arena;
	const char **names;
	size_t count, room;
};

void listing_add(struct listing *listing, const char *name);	/* a copy of it */
