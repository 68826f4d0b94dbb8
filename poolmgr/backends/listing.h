/* listing -- a list of names in an arena, for list() of driver.h. */
#pragma once

#include <stddef.h>

#include "base/arena.h"

struct listing {
	struct arena *arena;
	const char **names;
	size_t count, room;
};

void listing_add(struct listing *listing, const char *name);	/* adds a copy */
