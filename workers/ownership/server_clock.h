/*
 * server_clock -- the clock of a server that judges our signatures by it, as far as it is
 * known: ours, until the server says that ours is wrong (RFC 8945 5.2.3). Ours stays, for
 * people to set; what is signed for that server is signed by its own.
 */
#pragma once

#include <stdint.h>

#include "dns/address.h"
#include "model/name.h"

struct server_clock {
	int64_t ahead_s;		/* of ours */
};

uint64_t server_clock_now(const struct server_clock *clock);	/* unix seconds */
/*
 * What SERVER, which has ZONE, told under its signature. Both clocks are logged, once for
 * as long as none of them is set.
 */
void server_clock_learn(struct server_clock *clock, uint64_t now,
                        const struct address *server, const struct name *zone);
