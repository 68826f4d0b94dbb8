/*
 * network_update -- a network's domain is that of all its ports' names. Another one renames
 * them all, in one transaction: what is published afterwards is one change of each
 * domain. Another subnet leaves them their names, and may give or take all records of
 * some of their addresses, in the same way.
 */
#pragma once

#include <jansson.h>

#include "port_update.h"

struct renaming {
	struct ports *ports;
	struct arena *arena;
	const struct network_row *network;	/* as it is from now on */
	struct map *names;		/* that are taken */
	struct change change;
	struct port_row *all;
	size_t count, size;
	json_t *unnamed;		/* ids of ports whose name cannot be */
	bool is_told;			/* lines for dnsmasq are others: to be told */
};

enum { UNNAMED_SHOWN = 100 };		/* of which so many are listed */

/* After the network's row was written. UNNAMED is the caller's. */
void renaming_all(struct renaming *renaming, struct tx *tx);
/* After a subnet's row was written; NETWORK was read since. */
void renaming_none(struct renaming *renaming, struct tx *tx);
/*
 * The network is gone, and with it its ports, whatever was told of them: a source lets no
 * network go that has any.
 */
void renaming_end(struct renaming *renaming, struct tx *tx);
/* Commits; and what changed is published at once. */
enum err renaming_commit(struct renaming *renaming, struct tx *tx);
