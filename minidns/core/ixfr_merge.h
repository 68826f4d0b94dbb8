/*
 * condense -- many differences as one (RFC 1995 5): what a zone is to lose
 * and to gain between two serials, whatever it had meanwhile. Pure.
 *
 * A record's owner, type and rdata are what it is; the steps remove and add
 * it by turns. The first removal tells what the client has, the last addition
 * what it is to have: where those are the same to the octet nothing is sent,
 * else, as for a new TTL, the one goes and the other comes. The records are
 * sorted: they are the users' choice, and no choice makes this slow.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct condensed {
	struct buf rrs;			/* old SOA, removed, new SOA, added */
	size_t new_soa;			/* where in it the new SOA stands */
	uint64_t records;		/* with the two SOAs */
};

/*
 * STEPS: one after the other, each the old SOA, removed, the new SOA, added, and whole.
 * False, and nothing condensed, if they contradict themselves: a record removed that is
 * not there, or not with that TTL or case of the owner, or added that is there.
 */
bool condense(const struct buf *steps, struct condensed *condensed);
