/*
 * server_clock -- estimates the clock of a server that checks our signatures. We assume
 * that both clocks are equal until the server answers with BADTIME (RFC 8945 5.2.3). From
 * then on, we sign messages to that server with its time. We never change our own clock.
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
