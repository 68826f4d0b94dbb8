/*
 * source -- decides whether the list of a resource is plausible ("Source" in the
 * requirements, seed 001).
 *
 * If a resource had many endpoints and its list is now empty, the producer has possibly
 * lost the state of the resource. In this case, the empty list counts as incomplete, and
 * the plan holds the deletion of the resource's record sets. If an operator approves the
 * deletion, a round deletes these record sets. An empty list counts as complete when the
 * resource owns no record sets.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct source_report {
	/* the list is complete according to the message */
	bool is_complete;
	size_t count;			/* number of endpoints in the list */
	/* number of earlier endpoints of the resource that the list does not contain */
	size_t left;
	/*
	 * number of earlier endpoints of the resource. This number does not decrease
	 * while lists are not plausible.
	 */
	size_t had;
	bool owns_sets;			/* the resource owns record sets in the zone */
	size_t min_records;		/* if `had` is smaller, every list is plausible */
};

struct source_state {
	/* the plan may delete sets that are missing from the list */
	bool is_complete;
	size_t endpoints;		/* the value of `had` for the next list */
};

struct source_state source_decide(const struct source_report *report);
