/*
 * rpc_limit -- computes how long the caller of a request waits.
 *
 * A call has its caller's time limit as the message's expiration, in milliseconds. Our
 * own callers also send the end of the limit, by their clock: in a header, or in the
 * context with oslo.messaging, which can set no header. The request must be finished
 * RPC_MARGIN_MS before this end (a quarter of a limit under two seconds), because a
 * COMMIT takes time and clocks may differ. Without the end, or with an impossible end,
 * the limit begins when the socket was last empty, and the time in the broker's queue is
 * unknown. Pure.
 */
#pragma once

#include <stdint.h>

struct broker_delivery;

enum { RPC_MARGIN_MS = 500 };

/*
 * The end of the limit by clock_boot_ms(); 0: the message has no limit. NOW_MS and
 * NOW_UNIX_MS are the present times of both clocks.
 */
int64_t rpc_limit_end(const struct broker_delivery *delivery, int64_t now_ms,
                      int64_t now_unix_ms);
