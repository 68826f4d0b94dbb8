/*
 * published -- waits until the records of a port, or of all ports of a network, are on
 * the name servers. The client waits until central has accepted the records. After that,
 * the client waits until the name servers serve the new serials of all domains that the
 * caller may see. For example, only administrators may see reverse domains.
 */
#pragma once

#include <jansson.h>

#include "cli.h"

struct published {
	/* "port" or "network"; the id of this port or network */
	const char *key, *id;
	/*
	 * The forward domain of the network before and after the change; "": no domain.
	 * The client ignores all other forward domains. If `to` is NULL, the client
	 * ignores no domain.
	 */
	const char *from, *to;
	/* the domains that contain the records, or contained them before the change */
	struct site *sites;
	size_t count;
	/* ---- the latest state ---- */
	/* number of records that central has not accepted yet */
	int64_t open;
	int64_t refused;		/* number of records that central has refused */
	/*
	 * maximum time in seconds until zonefleet-ports sends the refused records again
	 */
	double retry_s;
	char reason[512], what[160];
	char port[40];	/* id of a port with open or refused records; "": no such port */
};

/*
 * Asks zonefleet-ports for the current domains and the state of the records. Call the
 * function before a change, because published_wait() also waits for these domains.
 */
enum err published_read(struct cli *cli, struct published *published);
/*
 * If --wait is not given, does nothing. Otherwise, waits until all records are on the
 * name servers, adds the status and the seconds to RESULT (the answer), and prints
 * STATUS, unless --json or --quiet is given. The function fails with the class InError
 * if central refuses records, or if a domain is in ERROR at the end of the time limit.
 */
enum err published_wait(struct cli *cli, struct published *published, const char *status,
                        json_t *result);
void published_clear(struct published *published);
