#include "runtime/rpc_limit.h"

#include <stdbool.h>

#include "runtime/broker.h"

static int64_t limit_margin_ms(int limit_ms)
{
	return limit_ms / 4 < RPC_MARGIN_MS ? limit_ms / 4 : RPC_MARGIN_MS;
}

/*
 * True: one of the clocks is wrong. By the two clocks more is left than the whole limit.
 * Or the limit ended before the message arrived, and the broker never delivers an expired
 * message.
 */
static bool limit_is_clock_wrong(const struct broker_delivery *delivery, int64_t left_ms,
                                 int64_t now_ms)
{
	return left_ms > delivery->expiration_ms + RPC_MARGIN_MS ||
	       -left_ms > now_ms - delivery->since_ms + RPC_MARGIN_MS;
}

int64_t rpc_limit_end(const struct broker_delivery *delivery, int64_t now_ms,
                      int64_t now_unix_ms)
{
	int limit_ms = delivery->expiration_ms;
	int64_t left_ms = delivery->limit_unix_ms - now_unix_ms;
	int64_t end_ms = delivery->since_ms + limit_ms;

	if (!limit_ms)
		return 0;
	/* since_ms says nothing here: the process may have been blocked */
	if (delivery->limit_unix_ms && !limit_is_clock_wrong(delivery, left_ms, now_ms))
		end_ms = now_ms + (left_ms < limit_ms ? left_ms : limit_ms);
	return end_ms - limit_margin_ms(limit_ms);
}
