/*
 * server_clock -- the clock of a server that checks our signatures. It counts as equal
 * to ours until the server answers BADTIME (RFC 8945 5.2.3). From then on we sign
 * messages to that server with its time. The operator sets our own clock.
 */
#pragma once

#include <stdint.h>

#include "dns/address.h"
#include "model/name.h"

struct server_clock {
	int64_t ahead_s;		/* how far the server's clock is ahead of ours */
};

uint64_t server_clock_now(const struct server_clock *clock);	/* unix seconds */
/*
 * NOW: the time that SERVER, the primary of ZONE, sent under its signature. Logs both
 * clocks when their difference has changed.
 */
void server_clock_learn(struct server_clock *clock, uint64_t now,
                        const struct address *server, const struct name *zone);
