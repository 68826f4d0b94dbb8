/*
 * domain_view -- the state of a domain on each of its servers. From it and the consensus
 * comes the report to central, if there is one. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "core/consensus.h"
#include "model/domain.h"
#include "model/messages.h"

struct server;

enum { DOMAIN_VIEW_REASON = 512 };	/* octets, with the final NUL */

struct domain_view {
	struct domain_ref domain;	/* no id: there is no such domain */
	/* the configured servers that the domain is for; the arrays have their order */
	size_t count;
	const struct server **servers;
	const char **server_ids;
	struct observation *observations;	/* from the rows of the action */
	const char **reasons;		/* "": no reason */
	/* serves a serial that zonefleet did not issue; the caller sets it */
	bool *unknown;
	size_t unknown_count;
	bool *differs;			/* serves other records than ours */
	size_t differing_count;
};

/* False: central knows the state of the domain already. The reason is in the arena. */
bool domain_view_report(const struct domain_view *view, enum action action,
                        int threshold_percent, struct arena *arena,
                        struct pool_report *report);
