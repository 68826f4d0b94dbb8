/*
 * rpc_limit -- computes how long the caller of a request waits.
 *
 * The expiration of a message is its caller's time limit in milliseconds. The callers of
 * zonefleet also send the end of the time limit in a header, by their own clock.
 * oslo.messaging cannot set a header, so callers that use it send this end in the
 * context. A COMMIT takes time and clocks differ. So the request must be finished
 * RPC_MARGIN_MS before the end of the time limit. If the time limit is shorter than two
 * seconds, this margin is a quarter of it. If a message contains no end, or an impossible
 * end, the time in the broker's queue is unknown. The time limit then begins at the time
 * when the socket was last empty. Pure.
 */
#pragma once

#include <stdint.h>

struct broker_delivery;

enum { RPC_MARGIN_MS = 500 };

/*
 * The end of the time limit by clock_boot_ms(); 0: the message has no time limit. NOW_MS
 * is the present time by clock_boot_ms(), NOW_UNIX_MS by the clock since 1970.
 */
int64_t rpc_limit_end(const struct broker_delivery *delivery, int64_t now_ms,
                      int64_t now_unix_ms);
