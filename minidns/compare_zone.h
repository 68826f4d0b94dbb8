/*
 * compare_zone -- compares one zone with the copy of one name server at the same serial.
 * A transfer (net/axfr_client.h) feeds the remote records to a set_diff (core/set_diff.h);
 * then a walk feeds the local ones. To name a difference it may repeat both. If the
 * server is behind, the local zone is taken at the server's serial, if the journal
 * allows it (core/zone_at_serial.h). A server that is ahead is not read.
 *
 * A comparison takes at most three megabytes, a message or some hundred records in a
 * turn of the loop, and twice the records of the local zone.
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
	COMPARE_SERIAL,		/* the local zone at its serial is unknown */
	COMPARE_REFUSED,	/* the server does not let us have the zone */
	COMPARE_FAILED,		/* silent, broken off, malformed, too much */
	COMPARE_OUTCOMES
};
const char *compare_outcome_name(enum compare_outcome outcome);		/* "equal" */

struct compare_zone_parts {
	struct loop *loop;
	struct servers *servers;
	const struct dns_requests *requests;
	struct canonical *record;	/* room for one, which nobody keeps over a turn */
	struct zone_lookup *lookup;
	struct zones *zones;
	struct deltas *deltas;
	struct set_diff_keys keys;
	void (*released)(void *self);	/* a local zone that was held */
	void *self;
};

struct compare_zone_want {
	char id[ID_LEN + 1];		/* the domain's */
	struct name zone;
	struct address server;
	struct name tsig_key;		/* of length 0: none */
	int silence_ms;			/* how long the server may say nothing */
};

struct compare_zone_end {
	enum compare_outcome outcome;
	uint32_t serial;		/* the local one; EQUAL, DIFFERS: of both */
	int again_ms;			/* FAILED: another attempt may do better then; or 0 */
	const char *words;		/* that go behind the server's name */
};

typedef void compare_zone_fn(void *self, const struct compare_zone_end *end);

/* PARTS are borrowed. The callback comes once, last, and not from within this call. */
struct compare_zone *compare_zone_start(const struct compare_zone_parts *parts,
                                        const struct compare_zone_want *want,
                                        compare_zone_fn *fn, void *self);
/*
 * Without a callback. What the lookup, the zones or the deltas owe it still comes: they
 * are freed first, then the parts.
 */
void compare_zone_cancel(struct compare_zone **compare);
