/*
 * follow -- decides about a server that answers and does not serve our serial.
 *
 *	behind	   the second failure in a row counts: a NOTIFY may be lost. For a new
 *		   zone the first one counts: the server has a former zone of that name
 *	unknown	   the server has a serial that we did not issue, so it ignores our
 *		   NOTIFY: at once
 *	no serial  the server answers with an error: only if the zone is new. Else the
 *		   cause is mostly not this zone
 *
 * First the server is ordered to transfer the zone. If that has no effect, the zone is
 * set up again there. If the server takes no orders and its serial is ahead, our serial
 * is raised, at most twice an hour, because a server may change its serial by itself.
 * The pause after each try is twice as long, up to ten minutes, so that a long transfer
 * can end. After an order that the server did not accept, the pause is at most 30 s. For
 * 10 s after an accepted order the zone is not set up again: its transfer may still run.
 * An administrator who asks waits for none of these pauses. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/state.h"

enum follow {
	FOLLOW_WAIT,		/* no action, or not yet */
	FOLLOW_TRANSFER,
	FOLLOW_RENEW,
	FOLLOW_RAISE,
	FOLLOW_COUNT
};
const char *follow_name(enum follow follow);	/* "TRANSFER" */

struct follow_case {
	struct state domain;		/* the current state */
	bool in_error;			/* the row of the server is in error */
	bool serves_it;			/* false: it answers without a serial */
	uint32_t serves;
	int failures;			/* in a row */
	bool takes_orders;		/* the driver can order a transfer */
	/* within the last hour: all tries, the successful ones, those of RAISE */
	int tries, done, raises;
	int64_t age_ms;			/* of the last try */
	bool has_failed;		/* the last try failed */
	bool asked;			/* an administrator asked since the last try */
};

enum follow follow_decide(const struct follow_case *of);

/*
 * Our serial is raised above the serial of a server. Limits: beyond the clock in all, and
 * at once. So a wrong server cannot push our serial so far that another server, which was
 * away for some time, takes it for an older one.
 */
enum { RAISE_BEYOND_CLOCK = 1 << 24, RAISE_AT_ONCE = 1 << 16 };

/* False: SERVES is not ahead of OURS, or too far. NOW: unix seconds. */
bool follow_raise(uint32_t ours, uint32_t serves, uint32_t now, uint32_t *raised);
