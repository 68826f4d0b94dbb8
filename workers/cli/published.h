/*
 * published -- waits until the records of a port, or of all ports of a network, are on
 * the name servers. The client first waits until central has accepted the records. After
 * that, the client waits until the name servers serve the new serials of all domains that
 * the caller may see. For example, only administrators may see reverse domains.
 */
#pragma once

#include <jansson.h>

#include "cli.h"

struct published {
	/* "port" or "network"; id of the port or network */
	const char *key, *id;
	/*
	 * The forward domains whose records the change touches; "": no domain. Other
	 * forward domains do not count. TO NULL: all domains count.
	 */
	const char *from, *to;
	struct site *sites;		/* the domains that have or had the records */
	size_t count;
	/* latest state */
	/* number of records that central has not accepted yet */
	int64_t open;
	int64_t refused;		/* number of records that central has refused */
	/* maximum time until zonefleet-ports sends the refused records again */
	double retry_s;
	char reason[512], what[160];
	char port[40];			/* a port that has such records */
};

/*
 * Reads the current domains of the records. Call it before a change, because
 * published_wait() also waits for these domains.
 */
enum err published_read(struct cli *cli, struct published *published);
/*
 * If --wait is given, waits until all records are on the name servers. Then prints
 * STATUS, and adds the status and the seconds to RESULT (the answer). If central refused
 * records, published_wait() fails with InError.
 */
enum err published_wait(struct cli *cli, struct published *published, const char *status,
                        json_t *result);
void published_clear(struct published *published);
