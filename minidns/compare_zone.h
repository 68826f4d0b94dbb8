/*
 * compare_zone -- compares one zone with the copy on one name server at the same serial.
 * A transfer (net/axfr_client.h) feeds the remote records to a set_diff
 * (core/set_diff.h); then a walk feeds the local records. To name a difference it may
 * repeat both steps. If the server is behind, the comparison uses the local zone at the
 * server's serial, if the journal reaches back to it (core/zone_at_serial.h). If the
 * server is ahead, the comparison does not read its zone.
 *
 * A comparison uses at most three megabytes. In a turn of the loop it processes a message
 * or some hundred records. It reads at most twice as many records as the local zone has.
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
	/* mini-DNS does not know the zone at the server's serial */
	COMPARE_SERIAL,
	COMPARE_REFUSED,	/* the server refuses the transfer to mini-DNS */
	/* no answer, connection closed, malformed, or too large */
	COMPARE_FAILED,
	COMPARE_OUTCOMES
};
const char *compare_outcome_name(enum compare_outcome outcome);		/* "equal" */

struct compare_zone_parts {
	struct loop *loop;
	struct servers *servers;
	const struct dns_requests *requests;
	/* room for one record, used only within a turn of the loop */
	struct canonical *record;
	struct zone_lookup *lookup;
	struct zones *zones;
	struct deltas *deltas;
	struct set_diff_keys keys;
	void (*released)(void *self);	/* the comparison has released a local zone */
	void *self;
};

struct compare_zone_want {
	char id[ID_LEN + 1];		/* the domain's */
	struct name zone;
	struct address server;
	struct name tsig_key;		/* length 0: no key */
	int silence_ms;			/* timeout for each wait for the server */
};

struct compare_zone_end {
	enum compare_outcome outcome;
	uint32_t serial;		/* of the local zone; EQUAL, DIFFERS: of both */
	/* FAILED: another attempt after this time may succeed; 0: no */
	int again_ms;
	const char *words;		/* text that follows the server's name */
};

typedef void compare_zone_fn(void *self, const struct compare_zone_end *end);

/*
 * Borrows PARTS. Calls back once, as the last action, after this call has returned.
 */
struct compare_zone *compare_zone_start(const struct compare_zone_parts *parts,
                                        const struct compare_zone_want *want,
                                        compare_zone_fn *fn, void *self);
/*
 * Ends without a callback. Callbacks of the lookup, the zones or the deltas may still
 * come: free these first, then the parts.
 */
void compare_zone_cancel(struct compare_zone **compare);
