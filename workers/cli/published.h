/*
 * published -- waits until the records of a port, or of all ports of a network, are on
 * the name servers. First it waits until central has taken the records, then until the
 * name servers serve their domains. It skips the second step for domains that the caller
 * may not see. Only administrators see reverse domains.
 */
#pragma once

#include <jansson.h>

#include "cli.h"

struct published {
	const char *key, *id;		/* "port", its id */
	struct site *sites;		/* the domains with its records, now or before */
	size_t count;
	/* latest state */
	int64_t open, refused;		/* records: not taken yet; refused */
	char reason[512], what[64];
};

/* Reads its present domains. Call it before a change, to wait for the old domains too. */
enum err published_read(struct cli *cli, struct published *published);
/*
 * With --wait: waits until all is on the name servers, prints STATUS and adds the seconds
 * to RESULT, the answer. Refused records fail as InError.
 */
enum err published_wait(struct cli *cli, struct published *published, const char *status,
                        json_t *result);
void published_clear(struct published *published);
