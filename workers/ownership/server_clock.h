/*
 * server_clock -- estimates the clock time of a name server that checks signed messages
 * (TSIG) of zonefleet-ownership. Until the server answers with BADTIME (RFC 8945 5.2.3),
 * zonefleet-ownership uses the clock of its own machine. After such an answer,
 * zonefleet-ownership signs messages to this server with the server's time.
 * zonefleet-ownership never changes the clock of its machine.
 */
#pragma once

#include <stdint.h>

#include "dns/address.h"
#include "model/name.h"

struct server_clock {
	/*
	 * number of seconds by which the server's clock is ahead of this machine's clock
	 */
	int64_t ahead_s;
};

/* Returns the estimated clock time of the server in unix seconds. */
uint64_t server_clock_now(const struct server_clock *clock);
/*
 * Updates CLOCK from NOW, the time in a signed answer of SERVER (the primary of ZONE). If
 * the difference of the two clocks has changed by more than TSIG_FUDGE_S, logs both
 * clocks.
 */
void server_clock_learn(struct server_clock *clock, uint64_t now,
                        const struct address *server, const struct name *zone);
