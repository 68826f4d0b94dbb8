/*
 * source -- decides whether the list of a resource is plausible (seed 001, "Source").
 *
 * A resource that had many endpoints and now sends an empty list may have lost its state.
 * The list counts as incomplete, and the lost records are held until an operator approves
 * them and the resource owns no sets any more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct source_report {
	bool is_complete;		/* as the message says */
	size_t count;			/* of endpoints that it wants now */
	size_t left;			/* earlier ones that the list lacks */
	size_t had;			/* largest number while it is not plausible */
	bool owns_sets;			/* it owns sets in the zone */
	size_t min_records;		/* fewer: always plausible */
};

struct source_state {
	bool is_complete;		/* other sets of it may be deleted */
	size_t endpoints;		/* to compare the next report with */
};

struct source_state source_decide(const struct source_report *report);
