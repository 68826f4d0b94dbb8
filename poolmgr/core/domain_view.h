/*
 * domain_view -- the state of a domain on each of its servers. This state and the
 * consensus decide whether a report to central is due. Pure.
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
	/* the configured servers for the domain; all arrays have their order */
	size_t count;
	const struct server **servers;
	const char **server_ids;
	struct observation *observations;	/* from the rows of the action */
	const char **reasons;		/* "": no reason */
	/* the server has a serial that zonefleet did not issue; the caller sets it */
	bool *unknown;
	size_t unknown_count;
	bool *differs;			/* the server serves other records than ours */
	size_t differing_count;
	/* a server has just answered with an older serial than ours; set by the caller */
	bool has_older;
};

/* False: central already knows this state of the domain. The reason is in the arena. */
bool domain_view_report(const struct domain_view *view, enum action action,
                        int threshold_percent, struct arena *arena,
                        struct pool_report *report);
