/*
 * domain_view -- the state of a domain on each of its servers. domain_view_report()
 * computes the consensus from this state, and decides whether the pool manager sends a
 * report to central.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "core/consensus.h"
#include "model/domain.h"
#include "model/messages.h"

struct server;

enum { DOMAIN_VIEW_REASON = 512 };	/* octets, including the final NUL */

struct domain_view {
	struct domain_ref domain;	/* no id: the domain does not exist */
	/* the configured servers of the domain; all arrays have the same order */
	size_t count;
	const struct server **servers;
	const char **server_ids;
	struct observation *observations;	/* from the rows of the action */
	const char **reasons;		/* "": no reason */
	/* the server has a serial that zonefleet did not issue; the caller sets it */
	bool *unknown;
	size_t unknown_count;
	/* the records of the server differ from the database */
	bool *differs;
	size_t differing_count;
	/*
	 * a server has just answered with a serial older than the serial of the domain;
	 * the caller sets it
	 */
	bool has_older;
};

/*
 * Makes the report for central. False: central already has this state of the domain. The
 * reason is in the arena.
 */
bool domain_view_report(const struct domain_view *view, enum action action,
                        int threshold_percent, struct arena *arena,
                        struct pool_report *report);
