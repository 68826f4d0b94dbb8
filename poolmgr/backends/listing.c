#include "backends/listing.h"

#include <string.h>

enum { FIRST_ROOM = 64 };

static void listing_grow(struct listing *listing)
{
	size_t room = listing->room ? 2 * listing->room : FIRST_ROOM;
	const char **names = arena_alloc(listing->arena, room * sizeof(*names));

	if (listing->count)
		memcpy(names, listing->names, listing->count * sizeof(*names));
	listing->names = names;
	listing->room = room;
}

void listing_add(struct listing *listing, const char *name)
{
	if (listing->count == listing->room)
		listing_grow(listing);
	listing->names[listing->count++] = arena_strdup(listing->arena, name);
}
