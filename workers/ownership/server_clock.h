/*
 * server_clock -- estimates the clock of a server that checks the signatures of
 * zonefleet-ownership. The program assumes that the server's clock equals its own until
 * the server answers with BADTIME (RFC 8945 5.2.3). From then on, the program signs
 * messages to that server with the server's time. It never changes its own clock.
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
 * NOW: the time in a signed answer of SERVER, the primary of ZONE. Logs both clocks if
 * their difference has changed.
 */
void server_clock_learn(struct server_clock *clock, uint64_t now,
                        const struct address *server, const struct name *zone);
