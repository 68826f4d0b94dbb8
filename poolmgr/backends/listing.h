/*
 * listing -- a list of names in an arena. The function list() of a driver (driver.h)
 * fills the list.
 */
#pragma once

#include <stddef.h>

#include "base/arena.h"

struct listing {
	struct arena *arena;
	const char **names;
	size_t count, room;
};

void listing_add(struct listing *listing, const char *name);	/* adds a copy of NAME */
