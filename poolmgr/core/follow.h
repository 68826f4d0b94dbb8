/*
 * follow -- what is to be done about a server that answers and serves another serial than
 * it should: one behind ours though it was notified, or one that is none of ours, which our
 * NOTIFYs never replace.
 *
 *	behind	the first NOTIFY may be lost, or slow: only the second failure in a row
 *		counts; of a zone that is new, the first: what it serves is a former one's
 *	foreign	at once
 *	nothing	it answers with an error: likewise, of a zone that is new. Else that is no
 *		matter of following, and mostly not of one zone alone
 *
 * Then the server is made to transfer the zone anew; where that has no effect, the zone
 * is set up there again, too. A server that takes no orders gets a newer serial of ours, if
 * its own is ahead; twice an hour at most, for one that changes its serial itself is always
 * ahead. Each try waits twice as long as the one before, up to ten minutes: what undoes our
 * work is not fought for ever, and a long transfer comes to its end. One that did not come
 * about, because the server did not accept the order, waits for half a minute at most.
 * For ten seconds after an accepted order the zone is not set up again: its transfer may
 * still run.
 * An administrator who asks waits for none of these pauses. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/state.h"

enum follow {
	FOLLOW_WAIT,		/* nothing, or not yet */
	FOLLOW_TRANSFER,
	FOLLOW_RENEW,
	FOLLOW_RAISE,
	FOLLOW_COUNT
};
const char *follow_name(enum follow follow);	/* "TRANSFER" */

struct follow_case {
	struct state domain;		/* as it is now */
	bool in_error;			/* the server's row, still */
	bool serves_it;			/* else it answers, and has no serial to show */
	uint32_t serves;
	int failures;			/* in a row */
	bool takes_orders;		/* its driver can make it transfer */
	/* within the last hour: what was tried, what of that was done, and was a RAISE */
	int tries, done, raises;
	int64_t age_ms;			/* of the last try */
	bool has_failed;		/* the last: it did not come about */
	bool asked;			/* an administrator did, since the last try */
};

enum follow follow_decide(const struct follow_case *of);

/*
 * Our serial is raised above a server's, so that its own is no longer ahead, by no more
 * than this: beyond the clock in all, or, of a serial that is there already, in one raise.
 * No server that is wrong, or lies, can push it to where others that were away for some
 * time would take it for an older one.
 */
enum { RAISE_BEYOND_CLOCK = 1 << 24, RAISE_AT_ONCE = 1 << 16 };

/* False: SERVES is not ahead of OURS, or too far. NOW: unix seconds. */
bool follow_raise(uint32_t ours, uint32_t serves, uint32_t now, uint32_t *raised);
