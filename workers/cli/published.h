/*
 * published -- waits until the records of a port, or of all ports of a network, are on
 * the name servers. First it waits until central has accepted the records. Then it waits
 * until the name servers serve the new serials. It skips the second step for domains that
 * the caller may not see: only administrators see reverse domains.
 */
#pragma once

#include <jansson.h>

#include "cli.h"

struct published {
	const char *key, *id;		/* "port", its id */
	struct site *sites;		/* the domains that have or had its records */
	size_t count;
	/* latest state */
	int64_t open, refused;		/* number of records: not accepted yet; refused */
	char reason[512], what[64];
};

/*
 * Reads the present domains of the records. Call it before a change, so that the client
 * also waits for the old domains.
 */
enum err published_read(struct cli *cli, struct published *published);
/*
 * With --wait: waits until all records are on the name servers, prints STATUS, and adds
 * the seconds to RESULT, the answer. If central refused records, it fails as InError.
 */
enum err published_wait(struct cli *cli, struct published *published, const char *status,
                        json_t *result);
void published_clear(struct published *published);
