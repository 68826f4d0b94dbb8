/*
 * comparison -- one zone as one name server serves it, against ours at the same serial: a
 * transfer (net/fetch.h), whose records are summed up as they come (core/set_diff.h) and
 * not kept, then a walk over our own zone; and where the two differ and what in cannot be
 * told yet, both once more. A server may be behind, and of a domain that changes all the
 * time it mostly is: ours is then taken as it was at its serial, if the journal tells it
 * within a bound (core/zone_at_serial.h). One that is ahead of us is not read.
 *
 * Whatever a server sends, it takes no more than some three megabytes, a message or some
 * hundred records a turn of the loop, and records of twice our own zone and a bit.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/id.h"
#include "core/set_diff.h"
#include "dns/address.h"
#include "model/name.h"

struct comparison;
struct canonical;
struct deltas;
struct dns_requests;
struct zone_lookup;
struct loop;
struct servers;
struct zones;

enum comparison_outcome {
	COMPARISON_EQUAL,
	COMPARISON_DIFFERS,
	COMPARISON_SERIAL,	/* what we had at theirs is not known */
	COMPARISON_REFUSED,	/* the server does not let us have the zone */
	COMPARISON_FAILED,	/* silent, broken off, malformed, too much */
	COMPARISON_OUTCOMES
};
const char *comparison_outcome_name(enum comparison_outcome outcome);	/* "equal" */

struct comparison_parts {
	struct loop *loop;
	struct servers *servers;
	const struct dns_requests *requests;
	struct canonical *record;	/* room for one, which nobody keeps over a turn */
	struct zone_lookup *lookup;
	struct zones *zones;
	struct deltas *deltas;
	struct set_diff_keys keys;
	void (*released)(void *self);	/* a zone of ours that was held */
	void *self;
};

struct comparison_want {
	char id[ID_LEN + 1];		/* the domain's */
	struct name zone;
	struct address server;
	struct name tsig_key;		/* of length 0: none */
	int silence_ms;			/* how long the server may say nothing */
};

struct comparison_end {
	enum comparison_outcome outcome;
	uint32_t serial;		/* of EQUAL and DIFFERS both's, else ours */
	bool may_pass;			/* FAILED: the server restarts, or is new to us */
	const char *words;		/* that go behind the server's name */
};

typedef void comparison_fn(void *self, const struct comparison_end *end);

/* PARTS are borrowed. The callback comes once, last, and not from within this call. */
struct comparison *comparison_start(const struct comparison_parts *parts,
                                    const struct comparison_want *want,
                                    comparison_fn *fn, void *self);
/*
 * Without a callback. What the lookup, the zones or the deltas owe it still comes: they
 * are freed first, then the parts.
 */
void comparison_cancel(struct comparison **comparison);
