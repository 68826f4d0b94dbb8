/*
 * compare_zone -- compares one zone with its copy on one name server, at the same serial.
 * A transfer (net/axfr_client.h) passes the remote records to a set_diff
 * (core/set_diff.h). After the transfer, a zone_walk (core/zone_walk.h) passes the local
 * records to the set_diff. If the zones differ, the comparison passes the local records a
 * second time, to find out which records differ. If the server's zone is large, the
 * comparison repeats the transfer before this second pass. If the server is behind and
 * the journal reaches back to the server's serial, the comparison uses the local zone at
 * that serial (core/zone_at_serial.h). If the server is ahead, the comparison does not
 * read the server's zone.
 *
 * A comparison uses at most three megabytes of memory. In one turn of the event loop, a
 * comparison processes at most one message of the transfer or 500 local records. Each
 * transfer reads at most twice as many records as the local zone contains, plus 100,000.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/id.h"
#include "core/set_diff.h"
#include "dns/address.h"
#include "model/name.h"

struct compare_zone;
struct canonical;
struct deltas;
struct dns_requests;
struct zone_lookup;
struct loop;
struct servers;
struct zones;

enum compare_outcome {
	COMPARE_EQUAL,
	COMPARE_DIFFERS,
	/*
	 * mini-DNS does not have the zone at the server's serial, or the server's serial
	 * changed during the comparison
	 */
	COMPARE_SERIAL,
	COMPARE_REFUSED,	/* the server refuses to transfer the zone to mini-DNS */
	/*
	 * mini-DNS could not transfer the whole zone from the server, or could not read
	 * the local zone. Or the server sent a record twice, or sent different records in
	 * each transfer.
	 */
	COMPARE_FAILED,
	COMPARE_OUTCOMES
};
const char *compare_outcome_name(enum compare_outcome outcome);		/* "equal" */

struct compare_zone_parts {
	struct loop *loop;
	struct servers *servers;
	const struct dns_requests *requests;
	/* buffer for one record, used only within one turn of the event loop */
	struct canonical *record;
	struct zone_lookup *lookup;
	struct zones *zones;
	struct deltas *deltas;
	struct set_diff_keys keys;
	/* called when the comparison has released the local zone */
	void (*released)(void *self);
	void *self;
};

struct compare_zone_want {
	char id[ID_LEN + 1];		/* id of the domain */
	struct name zone;
	struct address server;
	/* name of the key that signs the query; length 0: no signature */
	struct name tsig_key;
	int silence_ms;			/* timeout for each wait for the server */
};

struct compare_zone_end {
	enum compare_outcome outcome;
	/*
	 * COMPARE_EQUAL, COMPARE_DIFFERS: serial of the compared zones; other outcomes:
	 * serial of the local zone
	 */
	uint32_t serial;
	/*
	 * COMPARE_FAILED: pause before another attempt, which can succeed; 0: do not try
	 * again
	 */
	int again_ms;
	/* reason of the outcome, as text to print after the server's name */
	const char *words;
};

typedef void compare_zone_fn(void *self, const struct compare_zone_end *end);

/*
 * Starts a comparison. Borrows PARTS. Calls FN once, after this call has returned. The
 * comparison frees itself before it calls FN.
 */
struct compare_zone *compare_zone_start(const struct compare_zone_parts *parts,
                                        const struct compare_zone_want *want,
                                        compare_zone_fn *fn, void *self);
/*
 * Ends the comparison without calling FN. After this call, the lookup, the zones and the
 * deltas can still call functions of the comparison. So free these three parts before the
 * other parts.
 */
void compare_zone_cancel(struct compare_zone **compare);
