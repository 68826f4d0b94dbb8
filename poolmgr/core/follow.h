/*
 * follow -- decides what to do about a server that answers but does not serve the serial
 * of the database.
 *
 * 	behind		act after the second failure in a row, because possibly the
 * 			server has not received the NOTIFY. For a new zone, act after
 * 			the first failure: the server has an older zone of that name
 * 	unknown		the server has a serial that zonefleet did not issue, so the
 * 			server ignores NOTIFYs: act immediately
 * 	no serial	the server answers with an error. For a new zone, act after the
 * 			second failure. For other zones, act after the third failure,
 * 			because the server may still be loading its zones
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/state.h"

/*
 * The first action orders the server to transfer the zone. If this has no effect, the
 * pool manager sets the zone up again on the server. If the server answers without a
 * serial, the pool manager sets up only a new zone again, because the server may refuse
 * only mini-DNS and still answer its clients. If mini-DNS has sent the zone but the
 * server has not loaded the zone, the server refuses the records, and a new setup has no
 * effect. Some servers accept no commands. If the serial of such a server is ahead, the
 * pool manager asks central to raise the serial of the domain. The pool manager asks at
 * most twice an hour, because a server may change its serial by itself.
 *
 * Each pause between tries is twice as long as the previous pause, up to ten minutes, so
 * that a long transfer can end. If the server did not accept a command, the pause is at
 * most 30 s. For 10 s after an accepted command, the pool manager does not set the zone
 * up again, because the transfer may still be running. When the pool manager releases the
 * rows of the server (release.h), the pauses start again from the shortest. If an
 * administrator requests a sync, the pool manager skips these pauses.
 */
enum follow {
	FOLLOW_WAIT,		/* no action now */
	FOLLOW_TRANSFER,
	FOLLOW_RENEW,
	FOLLOW_RAISE,
	FOLLOW_COUNT
};
const char *follow_name(enum follow follow);	/* "TRANSFER" */

struct follow_case {
	struct state domain;		/* the current state */
	bool in_error;			/* the row of the server has the status ERROR */
	bool serves_it;			/* false: the server answers without a serial */
	uint32_t serves;
	int failures;			/* in a row */
	bool takes_orders;		/* the driver can order a transfer */
	/*
	 * numbers of all tries, successful tries, and tries of RAISE within the last
	 * hour
	 */
	int tries, done, raises;
	int64_t age_ms;			/* time since the last try */
	bool has_failed;		/* the last try failed */
	/* an administrator has requested a sync since the last try */
	bool asked;
	/*
	 * after the server went into ERROR, mini-DNS has sent the whole zone, at the
	 * serial of the database, to the server
	 */
	bool was_sent;
};

enum follow follow_decide(const struct follow_case *of);

/*
 * Limits for raising the serial of a domain above the serial of a server. The raised
 * serial is at most RAISE_BEYOND_CLOCK above the clock or RAISE_AT_ONCE above the serial
 * of the domain, whichever limit is higher. So a faulty server cannot raise the serial
 * of the domain too far. If the serial rose too far while another server was
 * unreachable, that server would treat the new serial as an older serial.
 */
enum { RAISE_BEYOND_CLOCK = 1 << 24, RAISE_AT_ONCE = 1 << 16 };

/*
 * OURS: the serial of the domain. False: SERVES is not ahead of OURS, or is too far
 * ahead. NOW: unix seconds.
 */
bool follow_raise(uint32_t ours, uint32_t serves, uint32_t now, uint32_t *raised);
