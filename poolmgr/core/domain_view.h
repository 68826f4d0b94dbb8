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

/* maximum size of a reason in octets, with the final NUL */
enum { DOMAIN_VIEW_REASON = 512 };

struct domain_view {
	struct domain_ref domain;	/* the id is "" if the domain does not exist */
	/*
	 * number of servers that must serve the domain and are in service. Each array
	 * below has one element for each of these servers, in the same order
	 */
	size_t count;
	const struct server **servers;
	const char **server_ids;
	/* state of each server, from its row for the action */
	struct observation *observations;
	const char **reasons;		/* reason in the same row; "": no reason */
	/*
	 * true: the server has a serial that zonefleet did not issue. The caller sets
	 * this array
	 */
	bool *unknown;
	size_t unknown_count;
	/* true: the records of the server differ from the database */
	bool *differs;
	size_t differing_count;
	/*
	 * a server has just answered with a serial older than the serial of the domain.
	 * The caller sets this field
	 */
	bool has_older;
};

/*
 * Fills in REPORT, the report to central about ACTION. False: central needs no report.
 * For example, there is no consensus yet, and too few servers have failed. The reason of
 * the report is in the arena.
 */
bool domain_view_report(const struct domain_view *view, enum action action,
                        int threshold_percent, struct arena *arena,
                        struct pool_report *report);
