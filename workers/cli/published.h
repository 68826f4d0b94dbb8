/*
 * published -- until the records of a port, or of all ports of a network, are on the name
 * servers: first until central has taken them, then until their domains are out. Domains
 * that the caller may not see, as reverse ones are to all but administrators, are waited
 * for no further than central.
 */
#pragma once

#include <jansson.h>

#include "cli.h"

struct published {
	const char *key, *id;		/* "port", its id */
	struct site *sites;		/* the domains that it has or had records in */
	size_t count;
	/* as it was seen last */
	int64_t open, refused;		/* records that central has not taken yet, or not */
	char reason[512], what[64];
};

/* Where it is by now: said before it changes, for what goes of it by that. */
enum err published_look(struct cli *cli, struct published *published);
/*
 * With --wait, until all is out: that is told, as STATUS, and the seconds are added to
 * RESULT, the answer. Records that are refused end it as InError.
 */
enum err published_wait(struct cli *cli, struct published *published, const char *status,
                        json_t *result);
void published_clear(struct published *published);
