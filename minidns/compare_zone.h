/*
 * compare_zone -- compares one zone with its copy on one name server, at the same
 * serial. A transfer (net/axfr_client.h) passes the remote records to a set_diff
 * (core/set_diff.h). Then a zone_walk (core/zone_walk.h) passes the local records to the
 * set_diff. To find out which records differ, the comparison may repeat both steps. If
 * the server is behind and the journal reaches back to the server's serial, the
 * comparison uses the local zone at that serial (core/zone_at_serial.h). If the server
 * is ahead, the comparison does not read the server's zone.
 *
 * A comparison uses at most three megabytes of memory. In one turn of the event loop, a
 * comparison processes at most one message or a few hundred records. A comparison reads
 * at most twice as many records as the local zone contains.
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
	/* mini-DNS does not have the zone at the serial of the server */
	COMPARE_SERIAL,
	COMPARE_REFUSED,	/* the server refuses to transfer the zone to mini-DNS */
	/* no answer, a closed connection, or an answer that is malformed or too large */
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
	/* serial of the local zone; EQUAL, DIFFERS: serial of both zones */
	uint32_t serial;
	/* FAILED: another attempt may succeed after this time; 0: do not try again */
	int again_ms;
	const char *words;		/* text to print after the server's name */
};

typedef void compare_zone_fn(void *self, const struct compare_zone_end *end);

/*
 * Starts a comparison. Borrows PARTS. Calls FN once, after this call has returned. This
 * call of FN is the last action of the comparison.
 */
struct compare_zone *compare_zone_start(const struct compare_zone_parts *parts,
                                        const struct compare_zone_want *want,
                                        compare_zone_fn *fn, void *self);
/*
 * Ends the comparison without calling FN. The lookup, the zones and the deltas may still
 * call back. So free these three first, then the other parts.
 */
void compare_zone_cancel(struct compare_zone **compare);
