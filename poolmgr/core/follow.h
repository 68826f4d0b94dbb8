/*
 * follow -- decides what to do about a server that answers but does not serve the serial
 * of the database.
 *
 * 	behind		act after the second failure in a row, because the server possibly
 * 			missed the NOTIFY. For a new zone, act after the first
 * 			failure, because the server serves an older zone of that name
 * 	ahead		act immediately. The server has a newer serial that zonefleet
 * 			did not issue, so the server ignores NOTIFYs
 * 	no serial	the server answers with an error. For a new zone, act after the
 * 			second failure. For other zones, act after the third failure,
 * 			because the server is possibly still loading its zones
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/state.h"

/*
 * First, the pool manager orders the server to transfer the zone. If the transfer has no
 * effect, the pool manager sets the zone up again on the server. In two cases, the pool
 * manager only orders further transfers. In the first case, the server answers without a
 * serial for a zone that is not new. Such a server possibly refuses only mini-DNS and
 * still answers its clients. In the second case, mini-DNS has sent the zone, but the
 * server has not loaded the zone. Such a server refuses the records, so a new setup has
 * no effect. If the serial of a server is ahead and three commands had no effect, the
 * pool manager asks central to raise the serial of the domain. If the serial is ahead
 * and the driver cannot order a transfer, the pool manager asks central immediately. For
 * one server and domain, at most two such requests succeed in one hour, because a server
 * can change its serial by itself.
 *
 * The pause after the first try is 5 s. Each further pause is twice as long as the
 * previous pause, up to ten minutes, so that a long transfer can end. If the last try
 * failed, the pause is at most 30 s. If the server has accepted a command, the pool
 * manager sends no further command for at least 10 s, because the transfer is possibly
 * still running. When the pool manager releases the rows of the server (release.h), the
 * pauses start again from the shortest pause. If an administrator requests a sync, the
 * pool manager does not wait for the end of the current pause.
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
	struct state domain;		/* current state of the domain */
	bool in_error;			/* the row of the server has the status ERROR */
	bool serves_it;			/* false: the server answers without a serial */
	uint32_t serves;		/* serial that the server serves */
	int failures;			/* number of failures in a row */
	bool takes_orders;		/* the driver can order a transfer */
	/*
	 * within the last hour: number of all tries, of successful tries, and of
	 * successful tries of RAISE
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
 * serial has two limits: the unix time plus RAISE_BEYOND_CLOCK, and the serial of the
 * domain plus RAISE_AT_ONCE. The higher limit applies. So a faulty server cannot raise
 * the serial of the domain too far. If the serial rose too far while another server was
 * unreachable, that server would treat the new serial as an older serial.
 */
enum { RAISE_BEYOND_CLOCK = 1 << 24, RAISE_AT_ONCE = 1 << 16 };

/*
 * Computes RAISED, a new serial for a domain. RAISED is newer than SERVES, the serial of
 * a server. OURS: the current serial of the domain. NOW: unix seconds. False: SERVES is
 * not ahead of OURS, or is too far ahead.
 */
bool follow_raise(uint32_t ours, uint32_t serves, uint32_t now, uint32_t *raised);
