/*
 * source -- decides whether the list of a resource is plausible (seed 001, "Source").
 *
 * A resource that had many endpoints and now sends an empty list may have lost its
 * state. Such a list counts as incomplete. The plan holds the deletion of the records
 * that it lacks, until an operator approves the deletion and the resource owns no sets
 * any more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct source_report {
	bool is_complete;		/* according to the message */
	size_t count;			/* number of endpoints in the list */
	/* number of earlier endpoints that the list lacks */
	size_t left;
	/* the largest number while lists are not plausible */
	size_t had;
	bool owns_sets;			/* it owns sets in the zone */
	/* with fewer endpoints, a list is always plausible */
	size_t min_records;
};

struct source_state {
	bool is_complete;		/* sets that the list lacks may be deleted */
	size_t endpoints;		/* compared with the next list */
};

struct source_state source_decide(const struct source_report *report);
