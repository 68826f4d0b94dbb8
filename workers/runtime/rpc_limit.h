/*
 * rpc_limit -- computes the time by which a process must have finished a request.
 *
 * The expiration of a message contains the caller's time limit in milliseconds. If the
 * caller is a program of zonefleet, a header also contains the end of the time limit, by
 * the caller's clock. Callers that use oslo.messaging cannot set a header, so they send
 * the end of the time limit in the context. A COMMIT takes time, and clocks differ. So a
 * process must finish a request RPC_MARGIN_MS before the end of the time limit. If the
 * time limit is shorter than two seconds, this margin is a quarter of the time limit. If
 * a message contains no end of the time limit, or an impossible end, the time that the
 * message spent in the broker's queue is unknown. In this case, the time limit begins
 * when the process last found its socket to the broker empty, because the message
 * arrived after that point in time. This module does no I/O and reads no clock.
 */
#pragma once

#include <stdint.h>

struct broker_delivery;

enum { RPC_MARGIN_MS = 500 };

/*
 * Returns the time by which a process must have finished the request, by clock_boot_ms().
 * 0: the message has no time limit. NOW_MS is the current time by clock_boot_ms().
 * NOW_UNIX_MS is the current time in milliseconds since 1970.
 */
int64_t rpc_limit_end(const struct broker_delivery *delivery, int64_t now_ms,
                      int64_t now_unix_ms);
