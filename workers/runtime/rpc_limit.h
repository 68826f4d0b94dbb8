/*
 * rpc_limit -- until when the caller of a request waits.
 *
 * A call carries its caller's time limit as the message's expiration, in
 * milliseconds; our own callers also tell when it ends, by their clock. The
 * request must be done before that end, less a margin of RPC_MARGIN_MS (a
 * quarter of a limit under two seconds): for a COMMIT takes time, and clocks
 * may differ by as much. A caller that tells no end (oslo.messaging) waits for
 * its limit from when the message came, and what it spent in the broker's
 * queue is not known. Pure.
 */
#pragma once

#include <stdint.h>

struct broker_delivery;

enum { RPC_MARGIN_MS = 500 };

/* The end by clock_boot_ms(), which is NOW_MS now; 0 if the message has no limit. */
int64_t rpc_limit_end(const struct broker_delivery *delivery, int64_t now_ms,
                      int64_t now_unix_ms);
